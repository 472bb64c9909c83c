"""The study's scenario at both servers, with few users and with many."""

from common.place import ROOT
from common.tools import Setting, headcount
from editor.outcome import read

SCENARIO = ROOT / "crates/study/scenarios/editor-rooms.ts"
EDITOR, RELAY = "the editor", "relay on Node"
HOLD_S = 10
WARMUP_S = 5
GOAL_AT = 10_000
"""Here the editor must still be quick."""

USERS = {EDITOR: [2000, 5000, GOAL_AT], RELAY: [2000, 5000]}
"""With more than 5,000 the relay does not keep up."""


def at(server: str, users: int) -> Setting:
    """Who comes at most at 625 a second, and 5 s before, so that coming is not what is measured, nor what it left behind."""
    ramp_s = max(2, users // 625)
    times = f"--ramp {ramp_s}s --warmup {WARMUP_S}s --duration {HOLD_S}s"
    return headcount(f"{server}, {users:,} users", SCENARIO, read, f"--users {users} {times}")


SETTINGS = {(server, users): at(server, users) for users in USERS[EDITOR] for server in USERS if users in USERS[server]}
