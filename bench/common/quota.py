"""A CPU quota for a server: a control group of its own. This needs root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.failure import Failure

FIRST, SECOND = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
"""The folders of the versions 1 and 2 of control groups."""
PERIOD_US = 20_000
"""Length of the quota's period. In a longer one, requests wait longer for the next."""


class Quota:
    """A control group with a quota."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def limit(self, pid: int) -> None:
        """Applies the quota to a process."""
        (self.folder / "cgroup.procs").write_text(str(pid))


@contextmanager
def quota(cores: float) -> Iterator[Quota]:
    """Makes the group. Its processes must have ended when the `with` block ends."""
    first = FIRST.is_dir()
    folder = (FIRST if first else SECOND) / f"headcount-bench-{os.getpid()}"
    time_us = round(cores * PERIOD_US)
    try:
        folder.mkdir()
        try:
            limit(folder, first, time_us)
        except OSError:
            folder.rmdir()
            raise
    except OSError as why:
        raise Failure(f"no control group can be made: this needs root and the controller `cpu` ({why})") from why
    try:
        yield Quota(folder)
    finally:
        folder.rmdir()


def limit(folder: Path, first: bool, time_us: int) -> None:
    if first:
        (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (folder / "cpu.cfs_quota_us").write_text(str(time_us))
    else:
        (folder / "cpu.max").write_text(f"{time_us} {PERIOD_US}")


def obstacle(cores: float) -> str | None:
    """Why there can be no such group on this machine."""
    try:
        with quota(cores):
            return None
    except Failure as why:
        return str(why)
