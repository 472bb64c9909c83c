"""Users who are connected and idle, few and many; and 50,000 who receive one message."""

from common.place import BENCH
from common.report import of_headcounts_deliveries, of_k6_ws, of_nobody
from common.tools import Setting, headcount, k6, ws

SCENARIOS = BENCH / "idle"
SECONDS = 4
FEW = 100
MANY = 10_000
MANY_OF_K6 = 2000
"""The limit for k6: at 10,000 users it would need more than 2 GB."""
CROWD = 50_000
SOURCES = "127.0.0.2,127.0.0.3,127.0.0.4"
"""Source addresses, because one address has 28,000 ports."""


def waiting(users: int) -> Setting:
    flags = f"--users {users} --duration {SECONDS}s --source {SOURCES}"
    return headcount(f"{users:,} users", SCENARIOS / "wait.ts", of_nobody, flags)


def waiting_ws(users: int) -> Setting:
    return ws(f"{users:,} users", MODE="idle", USERS=users, SECONDS=SECONDS)


def waiting_k6(users: int) -> Setting:
    return k6(f"{users:,} VUs", "k6-ws.js", of_k6_ws, MODE="idle", USERS=users, SECONDS=SECONDS + 4)


def crowd(parts: int) -> Setting:
    """The setting of one of several processes, which connects its part of the users as one group."""
    return headcount(
        f"{CROWD:,} users, one broadcast",
        SCENARIOS / "broadcast.ts",
        of_headcounts_deliveries,
        f"--source {SOURCES}",
        ("group: 50_000", f"group: {-(-CROWD // parts)}"),
    )


# The settings by tool and number of users.
SETTINGS = {
    **{("headcount", users): waiting(users) for users in [FEW, MANY]},
    **{("ws", users): waiting_ws(users) for users in [FEW, MANY]},
    **{("k6", users): waiting_k6(users) for users in [FEW, MANY_OF_K6]},
    ("headcount", CROWD): crowd(1),
}
