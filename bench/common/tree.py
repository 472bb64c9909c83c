"""Reads the CPU time and memory of a process and all its children from the kernel."""

import os
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """Resource use of a process tree. Includes an ended process if its parent is alive and has waited for it."""

    user_s: float
    system_s: float
    resident_kb: int
    peak_kb: int
    """Sum of the peak memory of all processes."""

    @property
    def cpu_s(self) -> float:
        return self.user_s + self.system_s


def usage(root: int) -> Usage:
    """Returns the resource use of a process tree. All figures are 0 if the process has ended."""
    user = system = resident = peak = 0
    for pid in tree(root):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        # The name may contain spaces and brackets. utime, stime, cutime and cstime are fields 14 to 17.
        fields = stat.rpartition(")")[2].split()
        own_user, own_system, ended_user, ended_system = map(int, fields[11:15])
        user, system = user + own_user + ended_user, system + own_system + ended_system
        resident, peak = resident + kilobytes(status, "VmRSS:"), peak + kilobytes(status, "VmHWM:")
    return Usage(user / TICKS_PER_S, system / TICKS_PER_S, resident, peak)


def tree(root: int) -> list[int]:
    """Returns the process and all its descendants."""
    found, open_ = [], [root]
    while open_:
        pid = open_.pop()
        found.append(pid)
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                open_ += map(int, children.read_text(encoding="ascii").split())
            except OSError:
                continue
    return found


def kilobytes(status: str, name: str) -> int:
    """Returns a value of /proc/PID/status in KB, or 0 if the process is ending and has no such value."""
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith(name)), 0)
