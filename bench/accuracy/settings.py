"""Settings with open loads that use four fifths of a core, and with closed loads that may need more than one core."""

from collections.abc import Callable
from dataclasses import dataclass

from common.place import BENCH
from common.tools import Setting, autocannon, headcount, k6, locust, oha, vegeta, wrk

SCENARIOS = BENCH / "accuracy"
SECONDS = 5
IN_FLIGHT = 4000


@dataclass(frozen=True)
class Open:
    """A tool whose rate must still be found."""

    first_rate: int
    at: Callable[[int], Setting]


def headcount_at(rate: int, words: str = "open") -> Setting:
    flags = f"--rate {rate}/s --users {IN_FLIGHT} --duration {SECONDS}s"
    return headcount(words, SCENARIOS / "open.ts", more=flags)


def headcount_closed(users: int) -> Setting:
    return headcount(f"{users:,} users", SCENARIOS / "closed.ts", more=f"--users {users} --duration {SECONDS}s")


OPEN = {
    "headcount": Open(20_000, headcount_at),
    "vegeta": Open(8000, lambda rate: vegeta(f"-rate={rate} -max-workers={IN_FLIGHT}", "open", SECONDS)),
    "oha": Open(20_000, lambda rate: oha(f"-q {rate} -c 3000 --latency-correction", "open, --latency-correction", SECONDS)),
    "k6": Open(4000, lambda rate: k6("open, constant-arrival-rate", RATE=rate, VUS=1000, SECONDS=SECONDS)),
}

# headcount spins for the last microseconds before an operation is due, so its core looks busy before it is full. This load
# fills the core.
FULLER = {("headcount", "40,000/s"): headcount_at(40_000, "open, 40,000/s")}

CLOSED = {
    ("headcount", 50): headcount_closed(50),
    ("headcount", 1000): headcount_closed(1000),
    ("headcount", IN_FLIGHT): headcount_closed(IN_FLIGHT),
    ("wrk", 1000): wrk(1000, SECONDS),
    ("oha", 1000): oha("-c 1000", seconds=SECONDS),
    ("vegeta", 1000): vegeta("-rate=0 -workers=1000 -max-workers=1000", "-rate=0 -max-workers=1000", SECONDS),
    ("autocannon", 1000): autocannon(1000, SECONDS),
    ("k6", 1000): k6("1,000 VUs", VUS=1000, SECONDS=SECONDS),
    ("Locust", 1000): locust("1,000 users", 1000, 0, SECONDS),
}
