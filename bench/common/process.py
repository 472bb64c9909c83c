"""Programs that are started, bounded in time, and ended by their own id."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from common.failure import Failure


@dataclass(frozen=True)
class Finished:
    """A program that has come to its end."""

    code: int
    stdout: str
    stderr: str
    wall_s: float
    cpu_s: float


def complain(text: str) -> None:
    """Progress and complaints go to stderr: stdout is the result."""
    print(text, file=sys.stderr, flush=True)


def pinned(core: int, command: list, goes_first: bool) -> list[str]:
    """The command on one core; before everything else there, if that is wanted."""
    first = ["chrt", "--rr", "1"] if goes_first else []
    return ["taskset", "-c", str(core), *first, *map(str, command)]


Beside = Callable[[int], AbstractContextManager]
"""Watches a process, by its id, for as long as its block lasts."""


def finish(
    command: list[str], limit_s: float, environment: dict[str, str], beside: Beside = lambda _: nullcontext()
) -> Finished:
    """Runs a program on its core to its end. One that takes longer than its limit is ended, with its children."""
    before, begun = cpu_of_children(), time.monotonic()
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        start_new_session=True,
    )
    try:
        with beside(child.pid):
            stdout, stderr = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"`{' '.join(command)}` did not end within {limit_s:.0f} s") from late
    finally:
        end_group(child)
    return Finished(child.returncode, stdout, stderr, time.monotonic() - begun, cpu_of_children() - before)


def end_server(child: subprocess.Popen) -> None:
    """Asks a server to end, and then ends what is left of it."""
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        pass
    end_group(child)


def end_group(child: subprocess.Popen) -> None:
    """Ends what is left of a child and its children: they have a session of their own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def cpu_of_children() -> float:
    """Seconds of CPU of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
