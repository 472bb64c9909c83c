"""Tools that support a fixed rate, at a rate that all of them can generate and at a difficult rate."""

from dataclasses import dataclass

from common.place import BENCH
from common.tools import Setting, headcount, k6, locust, oha, vegeta

SCENARIOS = BENCH / "pacing"


@dataclass(frozen=True)
class Paced:
    """The load that a tool must generate: this number of requests per second, evenly spaced."""

    per_s: int
    setting: Setting


def paced(per_s: int, *settings: Setting) -> list[Paced]:
    return [Paced(per_s, setting) for setting in settings]


SETTINGS = [
    *paced(
        1_000,
        headcount('`rate: "1000/s"`', SCENARIOS / "thousand.ts"),
        vegeta("-rate=1000"),
        k6("constant-arrival-rate 1000, 100 VUs", RATE=1000, VUS=100),
        oha("-q 1000 -c 100"),
        locust("100 users, constant_pacing(0.1)", 100, 0.1),
    ),
    *paced(
        50_000,
        headcount('`rate: "50000/s"`', SCENARIOS / "fifty-thousand.ts"),
        vegeta("-rate=50000 -max-workers=1000"),
        k6("constant-arrival-rate 50000, 1,000 VUs", RATE=50000, VUS=1000),
        oha("-q 50000 -c 200"),
    ),
]
