"""The messages in the rooms, and the tools."""

from dataclasses import dataclass

from common.place import BENCH
from common.report import of_headcounts_deliveries, of_k6_ws
from common.tools import Setting, headcount, k6, ws

SCENARIOS = BENCH / "fanout"
SECONDS = 5
USERS = 50


@dataclass(frozen=True)
class Room:
    """The senders and their rates. These are the same for every tool."""

    path: str
    members: int
    speakers: int
    at_once: int
    every_us: int
    hears_itself: bool

    @property
    def heard_by(self) -> int:
        return self.members if self.hears_itself else self.members - 1

    @property
    def due_per_s(self) -> float:
        """Returns the planned number of deliveries per second."""
        rooms = USERS // self.members
        return rooms * self.speakers * self.at_once * self.heard_by * 1e6 / self.every_us

    def environment(self) -> dict[str, object]:
        each = {"SPEAKERS": self.speakers, "AT_ONCE": self.at_once, "EVERY_MS": self.every_us / 1000}
        return {"MODE": "room", "USERS": USERS, "SECONDS": SECONDS, "ROOM": self.members} | each


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    kind: str
    room: Room
    setting: Setting


PACED = Room("/room/ROOM?echo=1", members=10, speakers=10, at_once=1, every_us=50_000, hears_itself=True)


def bursts(every_us: int) -> Room:
    """Returns a setting with one sender, whose 20 frames arrive at each listener in one piece."""
    return Room("/room/ROOM", members=USERS, speakers=1, at_once=20, every_us=every_us, hears_itself=False)


def headcount_burst(every_us: int) -> Case:
    """Returns the burst scenario with another period."""
    instead = ('EVERY = "1ms"', f'EVERY = "{every_us}us"')
    words = f"burst every {every_us / 1000:g} ms"
    hold = f"--duration {SECONDS}s"
    setting = headcount(words, SCENARIOS / "burst.ts", of_headcounts_deliveries, hold, instead)
    return Case("burst", bursts(every_us), setting)


def ws_burst(every_us: int) -> Case:
    room = bursts(every_us)
    return Case("burst", room, ws(f"burst every {every_us / 1000:g} ms", **room.environment()))


def k6_burst(every_us: int) -> Case:
    room = bursts(every_us)
    return Case("burst", room, k6(f"burst every {every_us / 1000:g} ms", "k6-ws.js", of_k6_ws, **room.environment()))


PACED_HEADCOUNT = headcount("paced", SCENARIOS / "paced.ts", of_headcounts_deliveries, f"--duration {SECONDS}s")

CASES = [
    *map(headcount_burst, [2000, 1000, 500, 400, 333]),
    *map(ws_burst, [10_000, 5000, 3000, 2000]),
    *map(k6_burst, [100_000, 50_000, 30_000, 20_000]),
    Case("paced", PACED, PACED_HEADCOUNT),
    Case("paced", PACED, ws("paced", **PACED.environment())),
    Case("paced", PACED, k6("paced", "k6-ws.js", of_k6_ws, **PACED.environment())),
]
