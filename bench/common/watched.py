"""Observes a tool from outside: samples its resource use and its target's count ten times a second."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from common.failure import Failure
from common.place import SERVER_CORE
from common.tree import Usage, usage

EVERY_S = 0.1
WARM_UP_S = 1.0
WIND_UP_S = 0.3
AT_WORK = 0.1
"""Share of the count's highest growth from which a tool is at full load. Single bursts are ignored."""


@dataclass(frozen=True)
class Sample:
    at_s: float
    count: int
    tool: Usage
    target: Usage


@dataclass(frozen=True)
class Stretch:
    """Resource use while the tool was at full load."""

    seconds: float
    count: int
    user_s: float
    system_s: float
    target_cpu_s: float

    @property
    def per_s(self) -> float:
        return self.count / self.seconds

    @property
    def cpu_s(self) -> float:
        return self.user_s + self.system_s

    @property
    def cpu_each_us(self) -> float:
        return 1e6 * self.cpu_s / self.count

    @property
    def per_cpu_s(self) -> float:
        return self.count / self.cpu_s

    @property
    def cpu_percent(self) -> float:
        return 100 * self.cpu_s / self.seconds

    @property
    def target_percent(self) -> float:
        return 100 * self.target_cpu_s / self.seconds


@dataclass
class Watch:
    """Samples from the start of a tool to the tool's end."""

    samples: list[Sample] = field(default_factory=list)

    def peak_mb(self) -> float:
        return max((sample.tool.peak_kb for sample in self.samples), default=0) / 1000

    def stretch(self, warm_up_s: float = WARM_UP_S, least_s: float = 1.0) -> Stretch:
        """Returns the period from a second after the first count until shortly before the last count."""
        if not self.samples or not self.samples[-1].count:
            raise Failure("the target counted nothing")
        growths = [after.count - before.count for before, after in zip(self.samples, self.samples[1:])]
        usual = sorted(growths)[len(growths) * 9 // 10] if growths else 0
        least = AT_WORK * max(1, usual)
        at_work = [after.at_s for after, growth in zip(self.samples[1:], growths) if least <= growth]
        within = [
            sample
            for sample in self.samples
            if at_work and at_work[0] + warm_up_s <= sample.at_s <= at_work[-1] - WIND_UP_S
        ]
        if len(within) < 2 or within[-1].at_s - within[0].at_s < least_s:
            raise Failure("the target was not at full load for long enough")
        return between(within[0], within[-1])


def between(first: Sample, last: Sample) -> Stretch:
    return Stretch(
        seconds=last.at_s - first.at_s,
        count=last.count - first.count,
        user_s=last.tool.user_s - first.tool.user_s,
        system_s=last.tool.system_s - first.tool.system_s,
        target_cpu_s=last.target.cpu_s - first.target.cpu_s,
    )


@contextmanager
def watched(tool: int, target: int, count: Callable[[], int], into: Watch, goes_first: bool) -> Iterator[None]:
    """Samples on the target's core, so that the generator's core is not disturbed. If the target has real-time priority,
    the sampling has a higher priority."""
    into.samples.clear()
    stop = threading.Event()

    def work() -> None:
        os.sched_setaffinity(threading.get_native_id(), {SERVER_CORE})
        if goes_first:
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_RR, os.sched_param(2))
        look(tool, target, count, into, stop)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def look(tool: int, target: int, count: Callable[[], int], into: Watch, stop: threading.Event) -> None:
    while not stop.wait(EVERY_S):
        used = usage(tool)
        if not used.peak_kb:
            return  # the process has ended
        try:
            counted, at_s = count(), time.monotonic()
        except Failure:
            into.samples.clear()  # the reader reports that there are too few samples
            return
        into.samples.append(Sample(at_s, counted, used, usage(target)))
