"""Computes the true figures for 200 arrivals a second for 30 s, on a server that stalls for 1 s in every 10 s.

All times are in microseconds. A response is due 50 ms after its request. The network path costs less than a hundredth of
that time. A response that is due during a stall is sent when the stall ends. Arrivals are 5 ms apart, and the first stall
begins 2.5 ms after an arrival is due. An arrival that is slightly late is therefore still on the same side of the edge.
"""

import math
from dataclasses import dataclass

from common.report import PERCENTILES
from common.tools import HOLD_S

RATE = 200
DELAY_US = 50_000
LASTS_US = 1_000_000
EVERY_US = 10_000_000
FIRST_US = 5_002_500

SECOND_US = 1_000_000


@dataclass(frozen=True)
class Truth:
    """The correct report of an open generator: the lowest and the highest correct value of each figure, in milliseconds."""

    sent: int
    stalled: int
    figures: dict[str, tuple[float, float]]


def answered_after(arrival_us: int) -> int:
    """Returns the time from an arrival to its response."""
    due = arrival_us + DELAY_US
    into = (due - FIRST_US) % EVERY_US
    stands_still = FIRST_US <= due and into < LASTS_US
    return DELAY_US + (LASTS_US - into if stands_still else 0)


def computed() -> Truth:
    """Computes the true figures, from the schedule alone."""
    arrivals = range(0, HOLD_S * SECOND_US, SECOND_US // RATE)
    waits = sorted(map(answered_after, arrivals))
    mean = sum(waits) / len(waits) / 1000
    figures = {"mean": (mean, mean)}
    for name, percent in PERCENTILES.items():
        figures[name] = between(waits, percent)
    figures["max"] = (waits[-1] / 1000, waits[-1] / 1000)
    return Truth(len(waits), sum(wait != DELAY_US for wait in waits), figures)


def between(waits: list[int], percent: float) -> tuple[float, float]:
    """A percentile between two values may be reported as either value, or as any value between them."""
    rank = len(waits) * percent / 100
    low = waits[math.ceil(round(rank, 6)) - 1]
    high = waits[min(math.floor(round(rank, 6)), len(waits) - 1)]
    return low / 1000, high / 1000
