"""Measures the time from the start of a program to its first request."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from common.compared import Comparison, compared, written
from common.failure import Failure
from common.goals import Goal, at_most
from common.place import BENCH, GENERATOR_CORE, SERVER_CORE, Place
from common.process import end_group
from common.rounds import Results
from common.table import span
from common.tools import Setting, artillery, autocannon, goose, headcount, headcount_bench, k6, locust, oha, vegeta, wrk
from start.listener import Listener

ROUNDS = 20
LIMIT_S = 30
SECONDS = 5

SETTINGS = {
    "run": headcount("`run`", BENCH / "web" / "one.ts", more="--users 1"),
    "bench": headcount_bench(f"-c 1 -d {SECONDS}s"),
    "wrk": wrk(1, SECONDS),
    "oha": oha("-c 1", seconds=SECONDS),
    "vegeta": vegeta("-rate=10", seconds=SECONDS),
    "autocannon": autocannon(1, SECONDS),
    "Goose": goose(1, SECONDS),
    "k6": k6("1 VU", VUS=1, SECONDS=SECONDS),
    "Locust": locust("1 user", 1, 0, SECONDS),
    "Artillery": artillery(1, SECONDS),
}

HEAD = ["tool", "setting", "to the first request, ms", "remarks"]


@dataclass(frozen=True)
class Outcome:
    took_ms: float


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether the goal was reached."""
    comparison = compared(place, SETTINGS, only, rounds, lambda _, setting: outcome_of(setting, place))
    return written(
        "Start-up time",
        "One user, one address; a socket of the bench receives the first request.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda _, result: [span(result.values(took_ms), ".1f"), ""]),
        goals_of(comparison),
        "From just before the program is executed to the first bytes of a request at the listening socket. A "
        "connection without a request does not count. Programs and scripts are in the page cache, because they were read before.",
    )


def outcome_of(setting: Setting, place: Place) -> Outcome:
    program = place.program(setting.tool)
    if program is None:
        raise Failure("not installed")
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name, Listener() as listener:
        url = listener.url + "/"
        command = list(map(str, setting.command(program, url, Path(name))))
        environment = {key: str(value) for key, value in setting.environment.items()} | {"URL": url}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        # The child inherits the core, because a program that sets it would be part of the measurement.
        os.sched_setaffinity(0, {GENERATOR_CORE})
        begun = time.monotonic()
        child = subprocess.Popen(command, env=os.environ | environment, start_new_session=True, **quiet)
        os.sched_setaffinity(0, {SERVER_CORE})
        try:
            return Outcome(1000 * (listener.first_request(LIMIT_S) - begun))
        finally:
            end_group(child)


def took_ms(outcome: Outcome) -> float:
    return outcome.took_ms


def goals_of(comparison: Comparison) -> list[Goal]:
    ours: Results = comparison.of("run")
    if not comparison.settings.get("run"):
        return []
    return [at_most("`headcount run` to the first request, ms", ours.median(took_ms) if ours.of_round else None, 50, ".1f")]
