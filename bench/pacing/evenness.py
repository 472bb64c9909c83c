"""Computes how evenly requests arrived, from the arrival counts over time."""

from dataclasses import dataclass

from common.failure import Failure
from pacing.watch import Arrivals

EDGE_S = 1.0
"""Seconds that are ignored at the start and at the end, because tools warm up and finish."""


@dataclass(frozen=True)
class Evenness:
    """Evenness of the arrivals, without the start and the end."""

    per_s: float
    lowest_per_s: float
    """The lowest and highest rates in any tenth of a second."""
    highest_per_s: float
    away_ms: float
    """Maximum deviation of the count from a straight line, expressed as time."""


def evenness(arrivals: Arrivals) -> Evenness:
    """Raises a failure if the server was not observed long enough at full load."""
    points = inner(arrivals.points)
    if len(points) < 20:
        raise Failure(f"the server was observed at load only {len(points)} times: too few")
    (begin, none), (end, all_of_them) = points[0], points[-1]
    per_s = (all_of_them - none) / (end - begin)
    rates = [(after[1] - before[1]) / (after[0] - before[0]) for before, after in zip(points, points[1:])]
    away = [abs(count - none - (at - begin) * per_s) / per_s for at, count in points]
    return Evenness(per_s, min(rates), max(rates), max(away) * 1000)


def inner(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Returns the points from the first to the last request, without the start and the end."""
    if not points:
        return []
    last = points[-1][1]
    at_work = [at for at, count in points if 0 < count < last]
    if not at_work:
        return []
    return [point for point in points if at_work[0] + EDGE_S <= point[0] <= at_work[-1] - EDGE_S]
