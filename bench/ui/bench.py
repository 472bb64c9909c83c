"""Measures what the live page costs the generator: its CPU time per request with and without `--ui`."""

import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common import machine
from common.failure import Failure
from common.goals import at_most, told
from common.place import BENCH, GENERATOR_CORE, Place
from common.rounds import Results, in_turn, ratio
from common.server import TruthServer
from common.table import span, table
from ui.viewer import finish

ROUNDS = 9
LIMIT_S = 60
EXIT_CODES = {0, 98}
"""A run that was short of CPU is inconclusive. Its requests still cost what they cost."""
MOST = 1.02
"""Largest median ratio that counts as noise."""

OFF, ON, VIEWED = "without `--ui`", "with `--ui`", "with `--ui`, five pages open"
VIEWERS = {OFF: None, ON: 0, VIEWED: 5}
HEAD = ["", "CPU per request, µs", "compared with the same round without", "start lag p99, µs", "updates received"]


@dataclass(frozen=True)
class Outcome:
    cpu_each_us: float
    lag_us: float
    updates: int


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    before = machine.load()
    chosen = [words for words in VIEWERS if words == OFF or not only or any(word in words for word in only)]
    results = in_turn(chosen, rounds, lambda words: outcome_of(place, VIEWERS[words]), lambda words: words)
    failed = [result.failure for result in results.values() if result.failure]
    if failed:
        raise failed[0]
    off = results[OFF]
    ratios = {words: ratio(results[words], off, lambda one: one.cpu_each_us) for words in chosen}
    goals = [at_most(f"CPU per request {words}, as a part of that without", ratios[words], MOST) for words in chosen if words != OFF]
    text = [
        "# The cost of the live page",
        f"4,000 requests a second for 10 s to the truth server. {rounds} rounds, each with all settings in turn; medians with "
        "minimum and maximum in brackets.",
        machine.described(place, [], before),
        table(HEAD, [row(words, results[words], off) for words in chosen]),
        *told(goals),
        "CPU is that of headcount's process from start to end, with all its threads, divided by the number of requests. A page "
        "asks for one update after the other, as the page in a browser does.",
    ]
    return "\n\n".join(text), all(goal.reached for goal in goals)


def row(words: str, result: Results, off: Results) -> list[str]:
    each = [result.of_round[number].cpu_each_us / off.of_round[number].cpu_each_us for number in result.of_round]
    return [
        words,
        span(result.values(lambda one: one.cpu_each_us), ".2f"),
        "–" if words == OFF else span(each, ".3f"),
        span(result.values(lambda one: one.lag_us), ".0f"),
        f"{statistics.median(result.values(lambda one: one.updates)):.0f}",
    ]


def outcome_of(place: Place, viewers: int | None) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name, TruthServer(place) as server:
        folder = Path(name) / "run"
        command = [
            *[place.headcount, "run", BENCH / "ui" / "steady.ts", "--target", server.url, "--workers", "1"],
            *["--cores", GENERATOR_CORE, "--json", "--quiet", "--out", folder, *([] if viewers is None else ["--ui"])],
        ]
        finished, updates = finish(place.on_core(GENERATOR_CORE, command), LIMIT_S, viewers or 0)
    if finished.code not in EXIT_CODES:
        raise Failure(f"no result: exit code {finished.code}: {finished.stderr.strip()}")
    if viewers and not updates:
        raise Failure("no page received an update")
    level = json.loads(finished.stdout)["levels"][0]
    requests = level["requests"]["count"]
    return Outcome(1e6 * finished.cpu_s / requests, 1000 * level["generator"]["start_lag_p99_ms"], updates)
