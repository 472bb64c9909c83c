"""Checks how often `headcount compare` is right about real runs: of an unchanged target, and of one that is 5 % slower."""

import statistics
import tempfile
from pathlib import Path

from common import machine
from common.failure import Failure
from common.goals import Goal, at_least, at_most, told
from common.place import Place
from common.process import complain
from common.table import table
from compare.pool import Kind, Pool, measured as pool_of, pairs

ROUNDS = 30
"""Rounds of four runs: 60 runs of each target."""
PAIRS = 100
EACH = [4, 6, 8, 10]
"""Numbers of runs on each side."""
JUDGED = 6
"""The number of runs on each side for which the goals hold."""

KINDS = [
    Kind("closed loop", "closed.ts", "/burn/2ms", "/burn/2100us"),
    Kind("random arrivals", "open.ts", "/burn/2ms", "/burn/2100us"),
]

HEAD = [
    *["load", "runs each", "identical: different", "only other figures different", "slower: found", "slower: called better"],
    *["change of p95 found, %", "p95 from run to run, %"],
]


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    chosen = [kind for kind in KINDS if not only or any(word in kind.words for word in only)]
    if not chosen:
        raise Failure(f"no setting contains one of the words {', '.join(only)}")
    before, rows, goals, repeated = machine.load(), [], [], 0
    for kind in chosen:
        with tempfile.TemporaryDirectory(prefix="headcount-bench-compare-") as name:
            pool = pool_of(place, kind, rounds, Path(name))
            repeated += pool.repeated
            for each in [each for each in EACH if each <= len(pool.rounds)]:
                row, of_row = judged(place, kind, pool, each)
                rows.append(row)
                goals += of_row if each == JUDGED else []
    text = [
        "# Comparisons of real runs",
        f"{2 * rounds} runs of each of two targets in the order A B B A, each of 5 s with a new server: the truth server with "
        f"2 ms and with 2.1 ms of CPU time per request. For each row, {PAIRS} pairs of sets are drawn from these runs, without "
        "replacement within a pair. *Identical*: both sets are runs of the faster target. *Slower*: whole rounds, so that the "
        "order stays A B B A. The pairs share runs, so they vary less than pairs of new runs.",
        machine.described(place, [], before),
        f"Runs that were repeated because their level was invalid: {repeated}.",
        table(HEAD, rows),
        *told(goals),
        "Different: `compare` calls p50 or p95, the figures of the thresholds, different. Other figures are exploratory.",
    ]
    return "\n\n".join(text), all(goal.reached for goal in goals)


def judged(place: Place, kind: Kind, pool: Pool, each: int) -> tuple[list[str], list[Goal]]:
    complain(f"{kind.words}: {PAIRS} pairs with {each} runs on each side")
    same = list(pairs(place, pool.identical, each, PAIRS, seed=each))
    slower = list(pairs(place, pool.apart, each, PAIRS, seed=each))
    wrong, found = sum(one.decided for one in same), sum(one.worse for one in slower)
    others = sum(one.other and not one.decided for one in same)
    row = [
        *[kind.words, str(each), str(wrong), str(others), str(found), str(sum(one.better for one in slower))],
        f"{100 * statistics.median(one.p95 for one in slower):.1f}",
        f"{100 * statistics.median(one.spread for one in slower):.1f}",
    ]
    goals = [
        at_most(f"{kind.words}: of {PAIRS} identical pairs with {each} runs each, called different", wrong, 5, ".0f"),
        at_least(f"{kind.words}: of {PAIRS} pairs of which one is 5 % slower, found", found, 90, ".0f"),
    ]
    return row, goals
