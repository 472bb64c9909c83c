"""Runs all settings in turn, several times, so that a disturbance of the machine affects all of them."""

import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from common.failure import Failure
from common.place import SERVER_CORE
from common.process import complain

S = TypeVar("S")
R = TypeVar("R")


@dataclass
class Results(Generic[R]):
    """The results of one setting in each round, or the reason why the setting has none."""

    of_round: dict[int, R] = field(default_factory=dict)
    failure: Failure | None = None

    def values(self, figure: Callable[[R], float]) -> list[float]:
        return [figure(result) for result in self.of_round.values()]

    def median(self, figure: Callable[[R], float]) -> float:
        return statistics.median(self.values(figure))


def in_turn(settings: list[S], rounds: int, run: Callable[[S], R], named: Callable[[S], str]) -> dict[S, Results]:
    """Runs each setting once per round. A setting that has failed is not run again."""
    os.sched_setaffinity(0, {SERVER_CORE})
    results: dict[S, Results] = {setting: Results() for setting in settings}
    for number in range(rounds):
        for setting, into in results.items():
            if into.failure:
                continue
            complain(f"round {number + 1} of {rounds}: {named(setting)}")
            try:
                into.of_round[number] = run(setting)
            except Failure as failure:
                complain(f"    {failure}")
                into.failure = failure
    return results


def ratio(one: Results, other: Results, figure: Callable[[R], float]) -> float | None:
    """Returns the median of the ratios within each round. `None` if no round has both figures."""
    both = one.of_round.keys() & other.of_round.keys()
    ratios = [figure(one.of_round[number]) / figure(other.of_round[number]) for number in both]
    return statistics.median(ratios) if ratios else None
