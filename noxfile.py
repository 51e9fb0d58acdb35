"""Checks that need their own environments: other Pythons, processors and compilers, the wheel, the sanitizers.

`make test-pythons`, `make wheel`, `make sdist`, `make sanitize`, `make warnings` and `make test-processors` run these.
They do not change `.venv` or the build in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FIRST_WITH_STABLE_ABI = "3.12"  # one wheel works for this and all later versions
ON_ALL_CORES = ("--numprocesses=auto", "--dist=loadfile")
NATIVE_TESTS = (
    "tests/kernels",
    "tests/search",
    "tests/golden",
    "tests/model",
    "tests/data/storage",
)


class Processor(NamedTuple):
    """An emulated processor, by its names in Debian and GNU."""

    debian: str
    gnu: str


# One with its own vector instructions, and one that is big-endian.
PROCESSORS = (Processor("arm64", "aarch64"), Processor("s390x", "s390x"))
PROCESSOR_TESTS = ("tests/golden", "tests/kernels")
DEBIAN = "trixie"
DEBIAN_PACKAGES = ("python3", "python3-hypothesis", "python3-joblib", "python3-networkx", "python3-numpy", "python3-psutil",
                   "python3-pytest", "python3-rich", "python3-scipy", "python3-sklearn", "python3-statsmodels",
                   "python3-typer")  # fmt: skip

COMPILERS = (
    ("g++",),
    ("clang++",),
    ("clang++", "--target=aarch64-linux-gnu"),
    ("aarch64-linux-gnu-g++",),
    ("s390x-linux-gnu-g++",),
    ("x86_64-w64-mingw32-g++",),
)
# The code is only compiled, so each vector tier is compiled for a processor that has its instructions.
X86_TIERS = {"tier_avx2.cpp": ("-march=haswell",), "tier_avx512.cpp": ("-march=icelake-server",)}

nox.options.sessions = ["tests"]
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True


def _output(*command: str) -> str | None:
    """Return the output of a command; None if it is missing or fails."""
    if not shutil.which(command[0]):
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout.strip()


def _offer_pyenv_versions() -> None:
    # The python3.12 of pyenv runs only if its version is selected.
    versions = _output("pyenv", "versions", "--bare")
    if versions and "PYENV_VERSION" not in os.environ:
        os.environ["PYENV_VERSION"] = ":".join(versions.split())


_offer_pyenv_versions()
FOUND = [python for python in PYTHONS if _output(f"python{python}", "--version")]
ABI3_PYTHONS = [p for p in FOUND if PYTHONS.index(p) >= PYTHONS.index(FIRST_WITH_STABLE_ABI)]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests on every installed Python; nox lists the missing ones."""
    _install(session, _build_folder(session), ".")
    session.run("python", "-m", "pytest", *ON_ALL_CORES, *session.posargs)


@nox.session(python=ABI3_PYTHONS[-1] if ABI3_PYTHONS else None, reuse_venv=False)
def wheel(session: nox.Session) -> None:
    """Build the wheel into dist/ and test it away from the sources."""
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder)
    for part in ("tests", "benchmarks"):  # the harness of the peers has tests too
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
        session.run(
            "python", "-m", "pytest", *ON_ALL_CORES, *session.posargs, env={"PYTHONPATH": ""}
        )
    session.log(f"dist/{built.name} passes its tests")


@nox.session(python=ABI3_PYTHONS[-1] if ABI3_PYTHONS else None, reuse_venv=False)
def sdist(session: nox.Session) -> None:
    """Build the source distribution into dist/, install it without a network, and run the demo."""
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
    # The interpreter is not instrumented, so the runtime must be loaded before it, together with the
    # C++ library, without which it cannot follow exceptions.
    preload = [_library(name) for name in ("libasan.so", "libstdc++.so")]
    env = {
        "LD_PRELOAD": " ".join(preload),
        # CPython leaks on purpose, and frames outside the stack need not be aligned for vectors.
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:quarantine_size_mb=64",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    chosen = session.posargs or [path for path in NATIVE_TESTS if any(Path(path).glob("*.py"))]
    # NumPy twins are slow here and are not instrumented; the sanitizer changes the use of memory.
    left_out = "not reference and not takes_memory"
    session.run("python", "-m", "pytest", "-k", left_out, *chosen, env=env)


@nox.session(python=None)
def warnings(session: nox.Session) -> None:
    """Compile the native code with every installed compiler; warnings are errors."""
    session.install("nanobind>=2.8")
    includes = (_answer(session, "-m", "nanobind", "--include_dir"),
                _answer(session, "-c", "import sysconfig; print(sysconfig.get_path('include'))"))  # fmt: skip
    strict = ("-std=c++20", "-O2", "-Inative", "-Wall", "-Wextra", "-Wconversion", "-Werror",
              "-fvisibility=hidden")  # the last as nanobind compiles modules  # fmt: skip
    options = (*strict, *(f"-isystem{folder}" for folder in includes))
    for compiler in COMPILERS:
        if not shutil.which(compiler[0]):
            session.log(f"{compiler[0]} is not installed.")
            continue
        machine = _output(*compiler, "-dumpmachine") or ""
        # Python's headers are those of this system; the bindings need those of Windows.
        files = "tier_*.cpp" if "mingw" in machine else "*.cpp"
        for source in sorted(Path("native").rglob(files)):
            tier = X86_TIERS.get(source.name, ()) if machine.startswith("x86_64") else ()
            session.run(*compiler, *options, *tier, "-c", source, "-o", os.devnull, external=True)


@nox.session(python=ABI3_PYTHONS[-1] if ABI3_PYTHONS else None)
@nox.parametrize("processor", PROCESSORS, ids=[processor.debian for processor in PROCESSORS])
def processors(session: nox.Session, processor: Processor) -> None:
    """Run the tests of the kernels and the golden sets on processors that QEMU emulates.

    Python, NumPy and SciPy come from Debian. The module is cross-compiled with the headers of this machine's
    Python, which is possible because it uses the stable ABI.
    """
    emulator, compiler = f"qemu-{processor.gnu}-static", f"{processor.gnu}-linux-gnu-g++"
    for tool, package in (("debootstrap", "debootstrap"), (emulator, "qemu-user-static"),
                          (compiler, f"g++-{processor.gnu}-linux-gnu")):  # fmt: skip
        if not shutil.which(tool):
            session.error(f"{tool} is not installed (Debian: apt install {package}).")
    root = _debian_root(session, processor)
    site = _cross_compiled(session, processor, compiler)
    libraries = f"/usr/lib/{processor.gnu}-linux-gnu"
    # QEMU resolves paths in `root` first. The packages are unpacked but not installed, so BLAS and LAPACK are not
    # linked to their usual paths, and bytecode is missing: it is written, because compiling SciPy is slow here.
    # Tests of pure Python are left out.
    session.run(emulator, "-L", root, "-E", f"LD_LIBRARY_PATH={libraries}/blas:{libraries}/lapack",
                "-E", f"PYTHONPATH={site}", next(root.glob("usr/bin/python3.??")), "-m", "pytest", "-k", "not reference and not readable",
                *(session.posargs or PROCESSOR_TESTS), env={"PYTHONDONTWRITEBYTECODE": ""}, external=True)  # fmt: skip


def _debian_root(session: nox.Session, processor: Processor) -> Path:
    """Unpack Debian's packages for a processor, unless that was done before.

    The folder is outside the source tree: it links to /proc, and the source distribution follows links.
    """
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = caches / "markhood" / processor.debian
    if (whole := root / "unpacked").exists():
        return root
    root.mkdir(parents=True, exist_ok=True)
    session.run("debootstrap", "--foreign", "--variant=minbase", f"--arch={processor.debian}",
                f"--include={','.join(DEBIAN_PACKAGES)}", DEBIAN, root, external=True, silent=True)  # fmt: skip
    for package in sorted(root.glob("var/cache/apt/archives/*.deb")):
        session.run("dpkg-deb", "--extract", package, root, external=True, log=False)
    whole.touch()
    return root


def _cross_compiled(session: nox.Session, processor: Processor, compiler: str) -> Path:
    """Build and unpack the wheel for another processor, with dependencies that Debian does not have."""
    folder = Path(session.create_tmp(), processor.debian).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    session.install("--upgrade", "pip>=25.1")
    defined = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": processor.gnu,
        "CMAKE_CXX_COMPILER": compiler,
    }
    settings = [f"--config-settings=cmake.define.{name}={value}" for name, value in defined.items()]
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ".",
                _build_folder(session, processor.debian), *settings)  # fmt: skip
    (built,) = folder.glob("markhood-*.whl")
    session.run("python", "-m", "zipfile", "-e", built, folder / "site")
    session.run(
        "python", "-m", "pip", "install", "--quiet", "--target", folder / "site", "narwhals>=1.30"
    )
    return folder / "site"


def _install(session: nox.Session, *what: str) -> None:
    session.install("--upgrade", "pip>=25.1")  # older versions do not support dependency groups
    session.install("--group", "test", *what)


def _build_folder(session: nox.Session, name: str = "") -> str:
    """Build in a separate folder, so that the build of `.venv` stays incremental."""
    return f"--config-settings=build-dir=build/nox/{name or session.name}"


def _answer(session: nox.Session, *arguments: str) -> str:
    """Return what the session's Python prints."""
    printed = session.run("python", *arguments, silent=True)
    return str(printed).strip()


def _library(name: str) -> str:
    return _output(os.environ.get("CXX", "c++"), f"-print-file-name={name}") or name
