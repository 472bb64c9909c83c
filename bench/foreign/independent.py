"""What other tools say about a busy process: `top`, `perf` and `strace`."""

import re
import subprocess
import time
from dataclasses import dataclass

SECONDS = 3
CALLS = 3
"""Number of system calls that are named."""


@dataclass(frozen=True)
class Seen:
    """The figures of a process under load."""

    thread: str
    """The busiest thread and its CPU, by `top -H`."""
    cores: float | None
    """CPU time of the process divided by the time, by `perf stat`."""
    calls: str
    """The system calls in which it spent most time, by `strace -c`, with their shares."""


def seen(pid: int) -> Seen:
    """Observes a process for about three times `SECONDS`. `strace` comes last, because it slows the process down."""
    return Seen(busiest_thread(pid), cores(pid), calls(pid))


def busiest_thread(pid: int) -> str:
    told = output(["top", "-H", "-b", "-d", str(SECONDS), "-n", "2", "-p", str(pid), "-w", "200"])
    rows = [line.split() for line in told.split("\ntop - ")[-1].splitlines()]
    threads = [(float(row[8].replace(",", ".")), row[11]) for row in rows if len(row) > 11 and row[0].isdecimal()]
    percent, name = max(threads, default=(0.0, "?"))
    return f"`{name}` {percent:.0f} %"


def cores(pid: int) -> float | None:
    told = output(["perf", "stat", "-e", "task-clock", "-p", str(pid), "--", "sleep", str(SECONDS)])
    found = re.search(r"([\d.,]+)\s+CPUs utilized", told)
    return float(found.group(1).replace(",", ".")) if found else None


def calls(pid: int) -> str:
    tracer = subprocess.Popen(
        ["strace", "-c", "-w", "-f", "-p", str(pid)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )
    time.sleep(SECONDS)
    tracer.terminate()
    _, told = tracer.communicate(timeout=20)
    rows = [line.split() for line in told.splitlines()]
    shares = [(row[-1], row[0]) for row in rows if len(row) >= 5 and re.fullmatch(r"[\d.]+", row[0]) and row[-1] != "total"]
    return ", ".join(f"{name} {float(share):.0f} %" for name, share in shares[:CALLS])


def output(command: list[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return ended.stdout + ended.stderr
