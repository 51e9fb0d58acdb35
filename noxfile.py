"""Work that needs environments of its own: other Pythons, the wheel, the source distribution, the sanitizers.

`make test-pythons`, `make wheel`, `make sdist` and `make sanitize` run these. Nothing here touches `.venv` or the
build in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FIRST_WITH_STABLE_ABI = "3.12"  # from here on one wheel serves all
NATIVE_TESTS = (
    "tests/kernels",
    "tests/search",
    "tests/golden",
    "tests/model",
    "tests/data/storage",
)

nox.options.sessions = ["tests"]
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True


def _output(*command: str) -> str | None:
    """Return what a command prints; None where there is no such command or it fails."""
    if not shutil.which(command[0]):
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout.strip()


def _offer_pyenv_versions() -> None:
    # pyenv's python3.12 and so on refuse to run unless their version is asked for.
    versions = _output("pyenv", "versions", "--bare")
    if versions and "PYENV_VERSION" not in os.environ:
        os.environ["PYENV_VERSION"] = ":".join(versions.split())


_offer_pyenv_versions()
FOUND = [python for python in PYTHONS if _output(f"python{python}", "--version")]
ABI3_PYTHONS = [p for p in FOUND if PYTHONS.index(p) >= PYTHONS.index(FIRST_WITH_STABLE_ABI)]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests on every Python that is there; say which are not."""
    _install(session, _build_folder(session), ".")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python=ABI3_PYTHONS[-1] if ABI3_PYTHONS else None, reuse_venv=False)
def wheel(session: nox.Session) -> None:
    """Build the wheel into dist/ and run the tests on it where there are no sources."""
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder)
    for part in ("tests", "benchmarks"):  # the peers' harness has tests too
        shutil.copytree(part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy("pyproject.toml", folder)
    session.install("--upgrade", "pip>=25.1")
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ".",
                _build_folder(session))  # fmt: skip
    (built,) = folder.glob("markhood-*.whl")
    Path("dist").mkdir(exist_ok=True)
    shutil.copy(built, "dist")
    _install(session, str(built))
    with session.chdir(folder):
        session.run("python", "-m", "pytest", *session.posargs, env={"PYTHONPATH": ""})
    session.log(f"dist/{built.name} passes its tests")


@nox.session(python=ABI3_PYTHONS[-1] if ABI3_PYTHONS else None, reuse_venv=False)
def sdist(session: nox.Session) -> None:
    """Build the source distribution into dist/, and learn from what it installs without a network."""
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder)
    session.install("--upgrade", "pip>=25.1")
    needed = nox.project.load_toml("pyproject.toml")["project"]["dependencies"]
    session.install("--group", "build", "build", *needed)
    session.run("python", "-m", "build", "--sdist", "--no-isolation", "--outdir", folder)
    (built,) = folder.glob("markhood-*.tar.gz")
    session.run(
        "python", "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index", built
    )
    with session.chdir(folder):
        session.run("markhood", "demo", "--output", "digits.graphml")
    Path("dist").mkdir(exist_ok=True)
    shutil.copy(built, "dist")
    session.log(f"dist/{built.name} installs without a network")


@nox.session(python=None)
def sanitize(session: nox.Session) -> None:
    """Run the tests of the kernels under AddressSanitizer and UndefinedBehaviorSanitizer."""
    settings = ("cmake.define.MARKHOOD_SANITIZE=ON", "cmake.build-type=RelWithDebInfo")
    options = [f"--config-settings={setting}" for setting in (*settings, "install.strip=false")]
    _install(session, _build_folder(session), *options, ".")
    # The interpreter itself is not instrumented, so the runtime must be there before it; it needs
    # the C++ library to be there too, or it cannot follow exceptions.
    preload = [_library(name) for name in ("libasan.so", "libstdc++.so")]
    env = {
        "LD_PRELOAD": " ".join(preload),
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=64",  # CPython leaks on purpose
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    chosen = session.posargs or [path for path in NATIVE_TESTS if any(Path(path).glob("*.py"))]
    # The NumPy twin is slow here, and has nothing to be found; memory is the sanitizer's, not ours.
    left_out = "not reference and not takes_memory"
    session.run("python", "-m", "pytest", "-k", left_out, *chosen, env=env)


def _install(session: nox.Session, *what: str) -> None:
    session.install("--upgrade", "pip>=25.1")  # older ones know nothing of dependency groups
    session.install("--group", "test", *what)


def _build_folder(session: nox.Session) -> str:
    """Build apart from `.venv`, whose own build would otherwise be set up anew each time."""
    return f"--config-settings=build-dir=build/nox/{session.name}"


def _library(name: str) -> str:
    return _output(os.environ.get("CXX", "c++"), f"-print-file-name={name}") or name
