"""Checks verdicts while another process uses half of the generator's core. Only a healthy server may pass."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import machine
from common.failure import Failure
from common.place import BENCH, GENERATOR_CORE, Place
from common.process import complain, end_group, finish, pinned
from common.server import TruthServer
from common.table import table

ROUNDS = 50
LIMIT_S = 60
PASSES_OF_TEN = 9
SCENARIOS = BENCH / "verdicts"
EXIT_CODES = {0: "passed", 98: "inconclusive", 99: "failed"}
HALF = "import time\nwhile True:\n end = time.monotonic() + 0.01\n while time.monotonic() < end: pass\n time.sleep(0.01)"


@contextmanager
def half_of_its_core() -> Iterator[None]:
    """Runs a process on the generator's core that alternately works for 10 ms and sleeps for 10 ms."""
    command = pinned(GENERATOR_CORE, [sys.executable, "-c", HALF], goes_first=False)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        end_group(child)


@dataclass(frozen=True)
class Kind:
    """A scenario, and whether the server satisfies its thresholds."""

    words: str
    scenario: str
    healthy: bool


KINDS = [
    Kind("healthy, 300/s", "healthy.ts", healthy=True),
    Kind("healthy, 60 users who think for 200 ms", "thinking.ts", healthy=True),
    Kind("one response in five takes 400 ms", "slow.ts", healthy=False),
    Kind("one response in fifty is an error", "failing.ts", healthy=False),
    Kind("one delivery in twenty is lost", "losing.ts", healthy=False),
]


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all verdicts were correct."""
    chosen = [kind for kind in KINDS if not only or any(word in kind.words for word in only)]
    load_before = machine.load()
    rows, right = [], True
    for kind in chosen:
        words = [verdict(kind, place) for _ in range(rounds)]
        passed = words.count("passed")
        good = passed * 10 >= rounds * PASSES_OF_TEN and "failed" not in words if kind.healthy else passed == 0
        right &= good
        rows.append([kind.words, *[str(words.count(word)) for word in EXIT_CODES.values()], "right" if good else "WRONG"])
        complain(f"    {rows[-1]}")
    text = "\n\n".join([
        "# Verdicts with half of the generator's core",
        f"{rounds} runs of 3 s each. Another process uses the generator's core for half of the time.",
        machine.described(place, [], load_before),
        table(["server", *EXIT_CODES.values(), "verdicts"], rows),
    ])
    return text, right


def verdict(kind: Kind, place: Place) -> str:
    """Returns the verdict of one run, derived from its exit code."""
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name, TruthServer(place) as server, half_of_its_core():
        command = [
            place.headcount, "run", SCENARIOS / kind.scenario, "--target", server.url, "--json", "--quiet",
            "--workers", "1", "--cores", GENERATOR_CORE, "--out", Path(name) / "run",
        ]
        finished = finish(list(map(str, command)), LIMIT_S, {})
    if finished.code not in EXIT_CODES:
        raise Failure(f"no result: exit code {finished.code}: {finished.stderr.strip()}")
    said = json.loads(finished.stdout)["verdict"]
    if said != EXIT_CODES[finished.code]:
        raise Failure(f"exit code {finished.code}, but the verdict was {said}")
    return EXIT_CODES[finished.code]
