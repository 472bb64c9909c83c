"""Reads headcount's record of one level in rooms."""

import json
from dataclasses import dataclass
from pathlib import Path

from common.hdr import Histogram, decoded
from common.failure import Failure
from common.process import Finished
from common.report import is_invalid, must_end_with, remarks_of_headcount

KEPT, NOT_SOUND, BROKEN = 0, 98, 99
"""Exit codes of runs with a result. A run that breaks a threshold of the scenario has a result too."""

FATES = ["late", "duplicated", "reordered"]


@dataclass(frozen=True)
class Outcome:
    """Figures of both channels (edits and carets) together."""

    duration_s: float
    expected: int
    delivered: int
    lost: int
    duplicated: int
    misdelivered: int
    reordered: int
    late: int
    latencies: list[Histogram]
    cpu_percent: float
    """CPU use of the server's process, over the measured time."""
    memory_kb: float
    """Peak memory with all users, in KB (10^3 bytes)."""
    idle_kb: float
    """Memory before the first user connects. The record does not contain it."""
    users: int
    rooms: int
    converged: int
    valid: bool
    generator_percent: float
    remarks: list[str]

    @property
    def received(self) -> int:
        return self.delivered + self.late

    @property
    def per_s(self) -> float:
        return self.received / self.duration_s

    @property
    def cpu_each_us(self) -> float:
        return self.cpu_percent / 100 * self.duration_s * 1e6 / self.received

    @property
    def kb_per_user(self) -> float:
        return (self.memory_kb - self.idle_kb) / self.users

    @property
    def wrong(self) -> int:
        """Returns the number of deliveries that were lost, late, out of order, duplicated or misdelivered."""
        return self.lost + self.duplicated + self.misdelivered + self.reordered + self.late

    def percentile_ms(self, percent: float) -> float:
        """Returns a percentile of the latencies of all deliveries."""
        counts: dict[int, int] = {}
        for histogram in self.latencies:
            for value, count in histogram.counts:
                counts[value] = counts.get(value, 0) + count
        longest = max(histogram.max_ns for histogram in self.latencies)
        return Histogram(sorted(counts.items()), 0, longest).percentile_ms(percent)


def read(finished: Finished, folder: Path) -> Outcome:
    must_end_with(finished, [KEPT, NOT_SOUND, BROKEN])
    return outcome_of(json.loads((folder / "run" / "run.json").read_text(encoding="utf-8"))["levels"][0])


def outcome_of(level: dict) -> Outcome:
    target, measured = level["target"], level["measured"]
    if not target or target["cpu_percent"] is None or target["memory_mb_max"] is None:
        raise Failure("the server's own process was not found")
    channels = list(measured["deliveries"].values())
    if not sum(channel["delivered"] for channel in channels):
        raise Failure("nothing was delivered")
    document = measured["converged"].get("document", {"converged": 0})
    remarks, doubts = remarks_of_headcount(level)
    return Outcome(
        duration_s=level["phases"]["duration_s"],
        expected=sum(channel["expected"] for channel in channels),
        delivered=sum(channel["delivered"] for channel in channels),
        lost=sum(sum(channel["lost"].values()) for channel in channels),
        misdelivered=sum(sum(channel["misdelivered"].values()) for channel in channels),
        latencies=[decoded(channel["latency"]) for channel in channels],
        cpu_percent=target["cpu_percent"],
        memory_kb=1000 * target["memory_mb_max"],
        idle_kb=0.0,
        users=level["load"]["users"],
        rooms=level["load"]["groups"],
        converged=document["converged"],
        valid=not is_invalid(level),
        generator_percent=level["generator"]["busiest_worker_percent"] or 0.0,
        remarks=[*remarks, *doubts[:1]],
        **{fate: sum(channel[fate] for channel in channels) for fate in FATES},
    )
