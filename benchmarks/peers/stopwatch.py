"""Run a command and write down what it used: what GNU time does, where there is no GNU time.

python stopwatch.py RESULT SECONDS COMMAND ...

The peak that the kernel reports for a process is never less than what the process that started it
had: so this one imports next to nothing, and is started with -I -S. The limit is in seconds of
CPU, which other work on the machine does not use up.
"""

import os
import resource
import sys


def main(result: str, limit: str, *command: str) -> None:
    """Run, wait, write CPU seconds, peak in KiB (bytes on macOS) and exit status."""
    child = os.fork()
    if child == 0:
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), most))
        os.execv(command[0], command)
    _, status, used = os.wait4(child, 0)
    with open(result, "w") as file:
        print(used.ru_utime + used.ru_stime, used.ru_maxrss, status, file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
