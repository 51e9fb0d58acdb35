"""Run the command line on hostile inputs: `python tests/fuzz/campaign.py --inputs 10000`.

An input is a folder of files, some of them damaged, and a command line; both are drawn from a seed
and a number, so `--seed 3 --only 1234` runs one again. A process that has imported everything forks
a child for each, which gives up its privileges, takes limits on time and memory, and runs the
program's own entry. A child must end with a known exit code and no traceback, leave no draft and
after a failure no output, change no file but its outputs, and print nothing that a terminal would
obey. What does not is kept in build/fuzz.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import multiprocessing
import os
import resource
import shutil
import signal
import stat
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"  # a process with threads should not fork
sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz import nasty
from fuzz.commands import arguments, commands, input_kinds, pair_of_options
from fuzz.corpus import damaged, valid

SECONDS = 300  # without any processor time: a machine may be busy
ENOUGH = 50  # hundredths of a second of processor time: a process that waits uses less
CPU_SECONDS = 60
MEMORY = 4 << 30
MOST_SAID = 1 << 24  # bytes
CODES = {0, 2, 128 + signal.SIGINT, 128 + signal.SIGPIPE, 128 + signal.SIGTERM}
STOPPING = {signal.SIGINT, signal.SIGTERM}
NOBODY = 65534
FOUND = Path(__file__).parents[2] / "build" / "fuzz"
WEIGHTS = {
    "learn": 12,
    "report": 4,
    "compare": 4,
    "simulate": 4,
    "pack": 4,
    "paper": 1,
    "demo": 0.1,
}
OUTPUT_OPTIONS = {"--output", "-o", "--truth", "--report", "--model", "--edges", "--fields", "--tables",
                  "--centrality", "--differences", "--plot"}  # fmt: skip
DEFAULT_OUTPUTS = {"report": "report.html", "demo": "digits.graphml", "paper": "paper"}


@dataclass
class Case:
    """A command line, the files it finds, and how it is treated."""

    line: list[str]
    files: dict[str, bytes]
    stdout: str = "file"  # or "full", "closed", "left"
    signal: tuple[int, float] | None = None
    largest_file: int | None = None
    linked_tile: bool = False
    is_small: bool = False  # and must be quick


@dataclass
class Outcome:
    """What became of it."""

    code: int
    errors: str
    faults: list[str] = field(default_factory=list)


def case_of(seed: int, number: int, corpus: dict[str, Any], programs: dict[str, Any]) -> Case:
    """Draw a case; the same for the same seed and number.

    Two of five are small tables that are hard to learn from, or valid data with a pair of options;
    the others are files that may be damaged with any options.
    """
    rng = Random(f"{seed}-{number}")
    if number % 5 == 0:
        return Case(*nasty.case(rng), is_small=True)
    if number % 5 == 1:
        files = {name: content for kind in ("csv", "weights", "edges", "priors", "groups", "positions",
                                            "codebook", "graph-json")
                 for name, content in corpus[kind].items()}  # fmt: skip
        return Case(pair_of_options(programs, rng), files)
    command = rng.choices(list(programs), [WEIGHTS.get(name, 1) for name in programs])[0]
    kinds = input_kinds(command, rng)
    files = {
        k: v
        for kind in ("csv", "weights", "edges", "groups", "positions", "codebook")
        for k, v in corpus[kind].items()
    }
    if rng.random() < 0.3:
        kind = rng.choice(["weights", "edges", "groups", "positions", "codebook"])
        files |= damaged(kind, corpus[kind], rng)
    inputs = []
    for kind in kinds:
        found = corpus[kind] if rng.random() < 0.2 else damaged(kind, corpus[kind], rng)
        files |= found
        first = next(iter(corpus[kind]))
        inputs.append(first.partition("/")[0])
    is_resumed = command in ("learn", "bootstrap") and rng.random() < 0.25
    if is_resumed:
        kinds, inputs = ["csv"], ["data.csv"]
        files |= corpus["csv"]
    if is_resumed or rng.random() < 0.1:
        saved = "checkpoint-bootstrap" if command == "bootstrap" else "checkpoint"
        files |= damaged(saved, corpus[saved], rng)
    if command == "paper":
        files |= damaged("paper", corpus["paper"], rng) if rng.random() < 0.7 else corpus["paper"]
    line = arguments(command, programs[command], inputs, rng)
    if is_resumed and rng.random() < 0.8:
        line = {
            "learn": ["learn", "data.csv", "--checkpoint", "saved", "-o", "out.json"],
            "bootstrap": ["bootstrap", "data.csv", "--replicates", "2", "--checkpoint", "saved"],
        }[command]
    case = Case(
        line,
        files,
        rng.choices(["file", "full", "closed", "left"], [94, 2, 2, 2])[0],
        (rng.choice([signal.SIGINT, signal.SIGTERM]), rng.random() * 0.1)
        if rng.random() < 0.02
        else None,
        rng.choice([0, 100, 4096]) if rng.random() < 0.02 else None,
        rng.random() < 0.1,
    )
    if command == "app":  # a server runs until it is stopped
        case.signal = rng.choice([signal.SIGINT, signal.SIGTERM]), 2 * rng.random()
    return case


def lay_out(case: Case, folder: Path) -> None:
    """Write the files of a case, and what stands around them."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "victim.csv").write_text("precious")
    (folder / "protected.csv").write_text("precious")
    (folder / "protected.csv").chmod(0o444)
    for name, target in {"link.csv": "data.csv", "null.csv": "/dev/null", "full.csv": "/dev/full",
                         "loop.json": "loop.json", "linked": "folder.csv"}.items():  # fmt: skip
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.csv")
    for name in ("folder.csv", "folder.html", "closed"):
        (folder / name).mkdir()
    if case.linked_tile and (folder / "saved").is_dir():
        tile = folder / "saved" / "1-screen.tiles"
        tile.unlink(missing_ok=True)
        tile.symlink_to("../victim.csv")
    (folder / "closed").chmod(0o555)


def snapshot(folder: Path) -> dict[str, Any]:
    """Return what there is: kind and mode of everything, and the content of files."""
    found = {}
    for path in folder.rglob("*"):
        about = path.lstat()
        content: Any = None
        if stat.S_ISREG(about.st_mode):
            content = path.read_bytes()
        elif stat.S_ISLNK(about.st_mode):
            content = os.readlink(path)
        found[str(path.relative_to(folder))] = (about.st_mode, content)
    return found


def may_change(case: Case, code: int) -> set[str]:
    """Name the files and folders that a command may write; after a failure, those that grow."""
    line = case.line
    values = {word: line[k + 1] for k, word in enumerate(line[:-1]) if word.startswith("-")}
    growing = {values.get("--checkpoint", "")}
    if line[0] == "paper":
        growing |= {values.get("--output", ""), values.get("-o", ""), "paper"}
    names = {name.split("/")[0] for name in growing if name}
    names |= {"folder.csv" for name in names if name == "linked"}
    if code == 0 or case.stdout != "file" or case.signal:
        named = {line[k + 1] for k, word in enumerate(line[:-1]) if word in OUTPUT_OPTIONS}
        named.add(DEFAULT_OUTPUTS.get(line[0], ""))
        read = {line[k] for k in range(1, len(line)) if line[k - 1] not in OUTPUT_OPTIONS}
        named |= {"data.csv" for name in named if name == "link.csv"}
        names |= {end for name in named - read - {""} for end in (name, f"{name}.json")}
    return names


def faults_of(
    case: Case, code: int, said: str, before: dict[str, Any], after: dict[str, Any]
) -> list[str]:
    """List what is not as it should be."""
    faults = []
    if code not in CODES and not (case.signal and code == -case.signal[0]):
        faults.append(f"exit code {code}")
    if "Traceback" in said or "Error ignored" in said or "Exception ignored" in said:
        faults.append("traceback")
    if any(letter in said for letter in "\x1b\x07\u202e"):
        faults.append("control characters")
    if code == 2 and not case.signal and "markhood: " not in said and "Usage:" not in said:
        faults.append("no sentence")
    allowed = may_change(case, code)
    # Of two outputs the first may be there, whole, and was said to be, when the second cannot be
    # written.
    allowed |= {word for word in case.line if f"Wrote {word}" in said}
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name) or {name, name.split("/")[0]} & allowed:
            continue
        kind = "left over" if name not in before else "changed" if name in after else "removed"
        faults.append(f"{kind}: {name}")
    if any(name.rpartition("/")[2].startswith(".markhood-") for name in {*after} - {*before}):
        faults.append("a draft is left")
    return faults


def excess(used: Any) -> list[str]:
    """List what a small table must not take; a child begins with the pages of its parent."""
    seconds = used.ru_utime + used.ru_stime
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = (used.ru_maxrss - own) << 10
    slow = [f"{seconds:.0f} s"] if seconds > nasty.CPU_SECONDS else []
    return [*slow, f"{grown >> 20} MB"] if grown > nasty.MEMORY else slow


def give_up_privileges() -> None:
    """Become nobody; where nobody can read the interpreter, stay root without a root's powers."""
    if os.geteuid() != 0:
        return
    places = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__)]
    if all(p.stat().st_mode & 0o5 == 0o5 for place in places for p in place.parents):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        return
    head, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(head, nothing):
        raise OSError(ctypes.get_errno(), "capset")


def child(case: Case, folder: Path, streams: int) -> None:
    """Be the program, in a process of one's own; does not return."""
    code = 1
    try:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams, 2)
        if case.stdout == "left":
            read, write = os.pipe()
            os.close(read)
            os.dup2(write, 1)
        else:
            os.dup2(os.open("/dev/full", os.O_WRONLY) if case.stdout == "full" else streams, 1)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        if case.stdout == "closed":
            os.close(1)
            sys.stdout = None  # type: ignore[assignment]
        give_up_privileges()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        if case.largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (case.largest_file, case.largest_file))
        sys.argv = ["markhood", *case.line]
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        from markhood.commandline.start import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 (whatever it is, it is what we look for)
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


def ticks(pid: int) -> int:
    """Return the processor time of a process, in hundredths of a second; 0 where it is unknown."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return sum(map(int, about.rpartition(")")[2].split()[11:13]))


def wait(pid: int, case: Case, streams: int) -> tuple[int | None, bytes, Any]:
    """Wait for a child; return its exit code (None after too long), what it said and its usage."""
    start = latest = time.monotonic()
    used_before = 0
    is_due = case.signal is not None
    said = bytearray()
    os.set_blocking(streams, False)
    while time.monotonic() - latest < SECONDS:
        if ticks(pid) > used_before + ENOUGH:
            latest, used_before = time.monotonic(), ticks(pid)
        done, status, used = os.wait4(pid, os.WNOHANG)
        with suppress(BlockingIOError):
            said += os.read(streams, MOST_SAID)
        if done:
            return os.waitstatus_to_exitcode(status), bytes(said), used
        if len(said) > MOST_SAID:
            break  # it never ends
        if is_due and case.signal and time.monotonic() - start > case.signal[1]:
            os.kill(pid, case.signal[0])
            is_due = False
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return None, bytes(said), os.wait4(pid, 0)[2]


def run_case(case: Case, home: Path) -> Outcome:
    """Run a case in a folder of its own, and look at what it left."""
    folder = home / "case"
    folder.mkdir()
    lay_out(case, folder)
    for path in (home, folder, *folder.rglob("*")):
        os.chown(path, *_owner(), follow_symlinks=False)
    before = snapshot(folder)
    read, write = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # Python forgets those that come in fork()
    pid = os.fork()
    if pid == 0:
        child(case, folder, write)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    os.close(write)
    code, said, used = wait(pid, case, read)
    os.close(read)
    errors = said.decode("utf-8", "replace")
    after = snapshot(folder)
    faults = ["hang"] if code is None else faults_of(case, code, errors, before, after)
    if case.is_small:
        faults += excess(used)
    if case.signal and code == 1 and "/commandline/start.py" not in errors:
        faults = []  # it came in the few lines of ours that stand around the program's own
    if case.signal and "Exception ignored" in errors and errors.count("Traceback") == 1:
        faults = [
            fault for fault in faults if fault != "traceback"
        ]  # Python itself lost the signal
    (folder / "closed").chmod(0o755)
    shutil.rmtree(folder)
    return Outcome(-999 if code is None else code, errors, faults)


def _owner() -> tuple[int, int]:
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    places = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__)]
    is_open = all(p.stat().st_mode & 0o5 == 0o5 for place in places for p in place.parents)
    return (NOBODY, NOBODY) if is_open else (0, 0)


def keep(seed: int, number: int, case: Case, outcome: Outcome) -> None:
    """Keep a case that failed, with its files, so that it can be looked at."""
    place = FOUND / f"{seed}-{number}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    about = {"line": case.line, "faults": outcome.faults, "code": outcome.code,
             "stdout": case.stdout,
             "signal": case.signal, "largest_file": case.largest_file}  # fmt: skip
    (place / "about.json").write_text(json.dumps(about, indent=1))
    (place / "said.txt").write_text(outcome.errors, encoding="utf-8", errors="replace")
    for name, content in case.files.items():
        path = place / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def import_everything() -> None:
    """Import what commands import when they run, so that children need not."""
    import joblib  # noqa: F401
    import networkx  # noqa: F401
    import rich.progress
    import rich.table  # noqa: F401
    import scipy.sparse
    import scipy.special  # noqa: F401
    import typer.rich_utils  # noqa: F401

    import markhood.learning.learn
    import markhood.output.report.page
    import markhood.paper.experiments
    import markhood.simulate.pieces  # noqa: F401
    from markhood.commandline.app import app

    with redirect_stderr(StringIO()):  # typer imports more when it parses
        app(["learn", "/no/such/file.csv"], standalone_mode=False)


def run_some(
    numbers: list[int], seed: int, corpus: dict[str, Any], record: Path
) -> tuple[Counter[str], list[str]]:
    """Run the cases of these numbers, one after another, and write down how each ended."""
    import_everything()
    resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, 2 * MEMORY))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    programs = commands()
    gc.freeze()  # so that a child's collections do not copy the pages of its parent
    counts: Counter[str] = Counter()
    failures = []
    with (
        tempfile.TemporaryDirectory(prefix="markhood-campaign-") as place,
        record.open("a", buffering=1, encoding="utf-8") as done,
    ):
        for number in numbers:
            case = case_of(seed, number, corpus, programs)
            outcome = run_case(case, Path(place))
            counts[f"{case.line[0]} {outcome.code}"] += 1
            fault = "; ".join(outcome.faults[:3])
            done.write(f"{number}\t{case.line[0]!r} {outcome.code}\t{fault!r}\n")
            if outcome.faults:
                keep(seed, number, case, outcome)
                failures.append(f"{seed}-{number}: {'; '.join(outcome.faults[:3])}: {case.line}")
                print(failures[-1], flush=True)
    return counts, failures


def campaign(
    seed: int, numbers: list[int], jobs: int, record: Path
) -> tuple[Counter[str], list[str]]:
    """Run cases in several processes, and return how often each ended how, and what failed."""
    parts = [numbers[k::jobs] for k in range(jobs)]
    fresh = multiprocessing.get_context("spawn")
    with fresh.Pool(1) as maker:  # whose libraries start threads
        corpus = maker.apply(valid)
    with fresh.Pool(jobs) as pool:
        done = pool.starmap(run_some, [(part, seed, corpus, record) for part in parts])
    counts = sum((counts for counts, _ in done), Counter())
    return counts, [failure for _, failures in done for failure in failures]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="run the input of this number alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--resume", action="store_true", help="leave out inputs that have been run")
    chosen = parser.parse_args()
    start = time.monotonic()
    numbers = list(range(chosen.inputs)) if chosen.only is None else [chosen.only]
    FOUND.mkdir(parents=True, exist_ok=True)
    record = FOUND / f"campaign-{chosen.seed}.tsv"
    if chosen.resume and record.exists():
        lines = record.read_text(encoding="utf-8").splitlines()
        numbers = sorted({*numbers} - {int(line.split("\t")[0]) for line in lines})
    elif chosen.only is None:
        record.unlink(missing_ok=True)
    jobs = max(1, min(chosen.jobs or 1, len(numbers)))
    counts, failures = campaign(chosen.seed, numbers, jobs, record)
    for ended, n in sorted(counts.items()):
        print(f"{n:7} {ended!r}")
    print(f"{len(numbers)} inputs, {len(failures)} failures, {time.monotonic() - start:.0f} s")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
