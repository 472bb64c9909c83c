"""Starts programs with a time limit, and ends them by their own process IDs."""

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
    """The result of a program that has ended."""

    code: int
    stdout: str
    stderr: str
    wall_s: float
    cpu_s: float


def complain(text: str) -> None:
    """Prints progress and problems to stderr. stdout is for the result."""
    print(text, file=sys.stderr, flush=True)


def pinned(core: int, command: list, goes_first: bool) -> list[str]:
    """Returns the command, pinned to one core and with real-time priority if requested."""
    first = ["chrt", "--rr", "1"] if goes_first else []
    return ["taskset", "-c", str(core), *first, *map(str, command)]


Beside = Callable[[int], AbstractContextManager]
"""Observes a process by its ID while the `with` block runs."""


def finish(
    command: list[str], limit_s: float, environment: dict[str, str], beside: Beside = lambda _: nullcontext()
) -> Finished:
    """Runs a program on its core until the program ends. After the time limit, kills the program and its children."""
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
    """Asks a server to end, then kills the rest of the server's process group."""
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        pass
    end_group(child)


def end_group(child: subprocess.Popen) -> None:
    """Kills the remaining processes of a child, which has its own session."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def cpu_of_children() -> float:
    """Returns the CPU time of all ended children, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
