"""Settings with connected but idle users, few and many, and with 50,000 users who receive one message."""

from common.place import BENCH
from common.report import of_headcounts_deliveries, of_k6_ws, of_nobody
from common.tools import Setting, headcount, k6, ws

SCENARIOS = BENCH / "idle"
SECONDS = 4
FEW = 100
MANY = 10_000
MANY_OF_K6 = 2000
"""Maximum number of users for k6, which would need more than 2 GB for 10,000 users."""
CROWD = 50_000
SOURCES = "127.0.0.2,127.0.0.3,127.0.0.4"
"""Source addresses. A single address has only 28,000 ports."""


def waiting(users: int) -> Setting:
    flags = f"--users {users} --duration {SECONDS}s --source {SOURCES}"
    return headcount(f"{users:,} users", SCENARIOS / "wait.ts", of_nobody, flags)


def waiting_ws(users: int) -> Setting:
    return ws(f"{users:,} users", MODE="idle", USERS=users, SECONDS=SECONDS)


def waiting_k6(users: int) -> Setting:
    return k6(f"{users:,} VUs", "k6-ws.js", of_k6_ws, MODE="idle", USERS=users, SECONDS=SECONDS + 4)


def crowd(parts: int) -> Setting:
    """Returns the setting of one of several processes. Each process connects its part of the users as one group."""
    return headcount(
        f"{CROWD:,} users, one broadcast",
        SCENARIOS / "broadcast.ts",
        of_headcounts_deliveries,
        f"--source {SOURCES}",
        ("group: 50_000", f"group: {-(-CROWD // parts)}"),
    )


# The settings, keyed by tool and number of users.
SETTINGS = {
    **{("headcount", users): waiting(users) for users in [FEW, MANY]},
    **{("ws", users): waiting_ws(users) for users in [FEW, MANY]},
    **{("k6", users): waiting_k6(users) for users in [FEW, MANY_OF_K6]},
    ("headcount", CROWD): crowd(1),
}
