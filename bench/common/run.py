"""One setting beside a truth server of its own, whose schedules begin with the first request."""

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


@dataclass(frozen=True)
class Outcome:
    """What the tool says, and what the server says that it did."""

    report: Report
    server: dict
    finished: Finished


def outcome_of(
    setting: Setting,
    place: Place,
    path: str,
    beside: Callable[[TruthServer], AbstractContextManager] = lambda _: nullcontext(),
) -> Outcome:
    """Runs it to its end; `beside` may watch the server meanwhile. Raises a failure that says why there is no result."""
    program = place.program(setting.tool)
    if program is None:
        raise Failure("not installed")
    complain(f"{setting.tool} {setting.words}")
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name, TruthServer(place) as server:
        folder, url = Path(name), server.url + path
        environment = {key: str(value) for key, value in setting.environment.items()} | {"URL": url}
        with beside(server):
            finished = finish(place.on_core(GENERATOR_CORE, setting.command(program, url, folder)), LIMIT_S, environment)
        did = server.did()
        return Outcome(setting.read(finished, folder), did, finished)
