"""Runs a setting against a new truth server. The server's schedules begin with the first request."""

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.place import GENERATOR_CORE, Place
from common.process import Finished, complain, finish
from common.report import Report
from common.server import TruthServer
from common.tools import HOLD_S, Setting

LIMIT_S = HOLD_S + 60

SERVER_LATE_S = 0.1
"""Maximum delay of the server caused by the machine. Longer delays cannot be distinguished from the tool's delays."""


@dataclass(frozen=True)
class Outcome:
    """The figures that the tool reports, and the counts of the server."""

    report: Report
    server: dict
    finished: Finished


Beside = Callable[[TruthServer], AbstractContextManager]


def outcome_of(setting: Setting, place: Place, path: str, beside: Beside = lambda _: nullcontext()) -> Outcome:
    """Runs the setting to its end; `beside` may watch the server meanwhile. If the machine delayed the server, the run is
    repeated once. Raises a failure with the reason if there is no result.
    """
    program = place.program(setting.tool)
    if program is None:
        raise Failure("not installed")
    for _ in range(2):
        complain(f"{setting.tool} {setting.words}")
        outcome = run(setting, place, program, path, beside)
        late = outcome.server["lateness"]
        late_s = late["max_ns"] / 1e9 if late else 0.0
        if late_s <= SERVER_LATE_S:
            return outcome
        complain(f"    not counted: the machine delayed the server for {late_s:.2f} s")
    raise Failure(f"the machine was too busy, twice: it delayed the server, the second time for {late_s:.2f} s")


def run(setting: Setting, place: Place, program: Path, path: str, beside: Beside) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name, TruthServer(place) as server:
        folder, url = Path(name), server.url + path
        environment = {key: str(value) for key, value in setting.environment.items()} | {"URL": url}
        with beside(server):
            finished = finish(place.on_core(GENERATOR_CORE, setting.command(program, url, folder)), LIMIT_S, environment)
        did = server.did()
        return Outcome(setting.read(finished, folder), did, finished)
