"""Runs the study's scenario on both servers, with few users and with many."""

from common.place import ROOT
from common.tools import Setting, headcount
from editor.outcome import read

SCENARIO = ROOT / "crates/study/scenarios/editor-rooms.ts"
EDITOR, RELAY = "the editor", "relay on Node"
HOLD_S = 10
WARMUP_S = 5
GOAL_AT = 10_000
"""Number of users with which the editor must still be fast."""

USERS = {EDITOR: [2000, 5000, GOAL_AT], RELAY: [2000, 5000]}
"""The relay does not keep up with more than 5,000 users."""


def at(server: str, users: int) -> Setting:
    """At most 625 users join per second. Joining ends 5 s before the measurement, so that it does not affect the figures."""
    ramp_s = max(2, users // 625)
    times = f"--ramp {ramp_s}s --warmup {WARMUP_S}s --duration {HOLD_S}s"
    return headcount(f"{server}, {users:,} users", SCENARIO, read, f"--users {users} {times}")


SETTINGS = {(server, users): at(server, users) for users in USERS[EDITOR] for server in USERS if users in USERS[server]}
