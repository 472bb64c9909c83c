"""Runs a setting against a target, and observes both from outside."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from common.failure import Failure
from common.place import GENERATOR_CORE, Place
from common.process import Finished, finish
from common.report import Report
from common.tools import Setting
from common.watched import Watch, watched

LIMIT_S = 150


class Target(Protocol):
    """A running server."""

    url: str
    pid: int


@dataclass(frozen=True)
class Seen:
    watch: Watch
    report: Report
    finished: Finished


def observed(setting: Setting, place: Place, target: Target, path: str, count: Callable[[], int]) -> Seen:
    """Runs the setting until it ends. If there is no result, raises a failure with the reason."""
    program = place.program(setting.tool)
    if program is None:
        raise Failure("not installed")
    watch, url = Watch(), target.url.rstrip("/") + path
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        folder = Path(name)
        command = place.on_core(GENERATOR_CORE, setting.command(program, url, folder))
        environment = {key: str(value) for key, value in setting.environment.items()}
        environment |= {"URL": url, "WS_URL": url.replace("http://", "ws://"), "NODE_PATH": str(place.program("ws"))}
        finished = finish(command, LIMIT_S, environment, lambda pid: watched(pid, target.pid, count, watch, place.goes_first))
        return Seen(watch, setting.read(finished, folder), finished)
