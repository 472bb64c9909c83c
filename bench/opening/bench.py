"""Measures how long a browser needs to open the report of a run of one hour with 20 levels."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common import machine
from common.failure import Failure
from common.goals import at_most, told
from common.place import BENCH, ROOT, Place
from common.process import complain, finish
from common.rounds import in_turn
from common.table import span, table

ROUNDS = 7
WIDTHS = [390, 1280, 2560]
LIMIT_S = 60
MOST_MS = 2000
HEAD = ["width, px", "time until the charts are drawn, ms", "charts"]


@dataclass(frozen=True)
class Outcome:
    took_ms: float
    charts: int


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    widths = [width for width in WIDTHS if not only or any(word in str(width) for word in only)]
    before = machine.load()
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        page = Path(name) / "report.html"
        page.write_text(of_one_hour(), encoding="utf-8")
        size = page.stat().st_size
        results = in_turn(widths, rounds, lambda width: outcome_of(page, width, cores), lambda width: f"{width} px")
    failed = [result.failure for result in results.values() if result.failure]
    if failed:
        raise failed[0]
    goals = [
        at_most(f"median at {width} px, ms", results[width].median(lambda one: one.took_ms), MOST_MS, ".0f") for width in widths
    ]
    rows = [
        [str(width), span(results[width].values(lambda one: one.took_ms), ".0f"), str(next(iter(results[width].of_round.values())).charts)]
        for width in widths
    ]
    text = [
        "# Opening the report of one hour",
        f"A made-up run of one hour with 20 levels and varied times; its page has {size / 1e6:.1f} MB. {rounds} rounds, medians with "
        "minimum and maximum in brackets.",
        machine.described(place, [], before),
        table(HEAD, rows),
        *told(goals),
        "From the request for the page until its charts are drawn and two frames have passed. Chromium runs already, with all "
        "cores; each time has a new process for the page.",
    ]
    return "\n\n".join(text), all(goal.reached for goal in goals)


def of_one_hour() -> str:
    """Returns the page, which an example of the report makes from a record of the tests."""
    complain("making the page of one hour (cargo run --example page)")
    command = ["cargo", "run", "--release", "--locked", "-q", "-p", "report", "--example", "page", "one-hour"]
    try:
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=3600).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise Failure(f"the page could not be made: {error}") from error


def outcome_of(page: Path, width: int, cores: set[int]) -> Outcome:
    allowed = ",".join(map(str, sorted(cores)))
    command = ["taskset", "-c", allowed, "node", str(BENCH / "opening" / "open.mjs"), str(page), str(width)]
    finished = finish(command, LIMIT_S, {})
    if finished.code != 0:
        raise Failure(f"the page could not be opened: {finished.stderr.strip()}")
    said = json.loads(finished.stdout)
    return Outcome(said["ms"], said["charts"])
