"""Run a command and write its CPU time and peak memory, like GNU time.

python stopwatch.py RESULT SECONDS COMMAND ...

The peak memory that the kernel reports for a process is at least that of the process that started it.
This script therefore imports almost nothing and is started with -I -S. The limit is in CPU seconds,
which do not include other work on the machine.
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
