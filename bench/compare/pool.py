"""A pool of real runs of two targets, and comparisons of runs that are drawn from it."""

import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.place import BENCH, GENERATOR_CORE, Place
from common.process import complain, finish
from common.server import TruthServer

LIMIT_S = 60
TRIES = 3
EXIT_CODES = {0, 98}
"""A run without enough CPU is inconclusive. Its level is then invalid, and the run is repeated."""
ORDER = ["base", "slower", "slower", "base"]
"""The order of the runs of a round, so that a drift of the machine affects both targets alike."""


@dataclass(frozen=True)
class Kind:
    """A scenario with the work per request of two targets."""

    words: str
    scenario: str
    base: str
    slower: str

    def work(self, target: str) -> str:
        return self.base if target == "base" else self.slower


@dataclass(frozen=True)
class Pool:
    """The folders of the runs, in the order in which they ran, with the target of each. A round has four."""

    runs: list[tuple[str, Path]]
    repeated: int

    @property
    def rounds(self) -> list[list[tuple[str, Path]]]:
        size = len(ORDER)
        return [self.runs[at : at + size] for at in range(0, len(self.runs), size)]

    def identical(self, each: int, chance: random.Random) -> tuple[list[Path], list[Path]]:
        """Draws two sets of runs of the same target, without replacement, and assigns them in the order A B B A."""
        drawn = chance.sample(range(len(self.rounds)), each)
        same = [folder for number in sorted(drawn) for target, folder in self.rounds[number] if target == "base"]
        sets = [[folder for at, folder in enumerate(same) if (at % 4 in (1, 2)) == second] for second in (False, True)]
        return sets[0], sets[1]

    def apart(self, each: int, chance: random.Random) -> tuple[list[Path], list[Path]]:
        """Draws a set of runs of each target: whole rounds, without replacement."""
        drawn = sorted(chance.sample(range(len(self.rounds)), each // 2))
        runs = [run for number in drawn for run in self.rounds[number]]
        sets = [[folder for target, folder in runs if target == wanted] for wanted in ("base", "slower")]
        return sets[0], sets[1]


def measured(place: Place, kind: Kind, rounds: int, folder: Path) -> Pool:
    """Runs both targets in turn. Each run has a server of its own."""
    runs, repeated = [], 0
    for number in range(rounds):
        complain(f"round {number + 1} of {rounds}: {kind.words}")
        for place_in_round, target in enumerate(ORDER):
            for attempt in range(TRIES):
                out = folder / f"{number:03}-{place_in_round}-{attempt}"
                if is_valid(place, kind, kind.work(target), out):
                    runs.append((target, out))
                    break
                repeated += 1
            else:
                raise Failure(f"the machine was too busy: {TRIES} runs in a row were invalid")
    return Pool(runs, repeated)


def is_valid(place: Place, kind: Kind, work: str, out: Path) -> bool:
    with TruthServer(place) as server:
        command = [
            *[place.headcount, "run", BENCH / "compare" / kind.scenario, "--target", server.url, "--env", f"WORK={work}"],
            *["--workers", "1", "--cores", GENERATOR_CORE, "--json", "--quiet", "--out", out],
        ]
        finished = finish(place.on_core(GENERATOR_CORE, command), LIMIT_S, {})
    if finished.code not in EXIT_CODES:
        raise Failure(f"no result: exit code {finished.code}: {finished.stderr.strip()}")
    return json.loads(finished.stdout)["levels"][0]["validity"] != "invalid"


@dataclass(frozen=True)
class Compared:
    """What `headcount compare` says about two sets of runs."""

    worse: bool
    """Whether a figure of a threshold is called different, and worse."""
    better: bool
    other: bool
    """Whether any other figure is called different."""
    p95: float
    """The estimated change of p95."""
    spread: float
    """Standard deviation of p95 from run to run."""

    @property
    def decided(self) -> bool:
        return self.worse or self.better


def compared(place: Place, sets: tuple[list[Path], list[Path]]) -> Compared:
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        folders = [Path(name) / side for side in ("base", "new")]
        for folder, runs in zip(folders, sets):
            folder.mkdir()
            for number, run in enumerate(runs):
                (folder / str(number)).symlink_to(run)
        finished = finish([str(place.headcount), "compare", *map(str, folders), "--format", "json", "--all"], LIMIT_S, {})
    if finished.code != 0:
        raise Failure(f"compare ended with code {finished.code}: {finished.stderr.strip()}")
    figures = json.loads(finished.stdout)["comparison"]["figures"]
    different = [figure for figure in figures if figure["judgement"]["judgement"] == "different"]
    deciding = [figure for figure in different if figure["is_primary"]]
    p95 = next(figure["effect"] for figure in figures if figure["is_primary"] and figure["aggregate"] == "p95")
    return Compared(
        worse=any(figure["effect"]["estimate"] > 0 for figure in deciding),
        better=any(figure["effect"]["estimate"] < 0 for figure in deciding),
        other=len(different) > len(deciding),
        p95=p95["estimate"],
        spread=p95["spread"],
    )


def pairs(place: Place, draw, each: int, number: int, seed: int) -> Iterator[Compared]:
    """Draws so many pairs of sets with `each` runs, and compares them."""
    chance = random.Random(seed)
    for _ in range(number):
        yield compared(place, draw(each, chance))
