"""Compares the editor with a plain relay on the official Socket.IO server: the cost per delivery and per user."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from common.compared import Comparison, compared, remarks, written
from common.failure import Failure
from common.goals import Goal, at_most
from common.place import GENERATOR_CORE, ROOT, Place
from common.process import finish
from common.rounds import Results, ratio
from common.server import Server
from common.table import span
from common.tools import Setting
from common.tree import usage
from editor.outcome import Outcome
from editor.settings import EDITOR, GOAL_AT, HOLD_S, RELAY, SETTINGS

ROUNDS = 3
LIMIT_S = 120
SETTLES_IN_S = 0.5
PACKAGE = "socket.io-4.8"
E2E = ROOT / "e2e"

HEAD = [
    "generator", "server", "deliveries/s", "expected", "wrong", "rooms converged", "p50, ms", "p95, ms", "p99, ms", "server CPU %",
    "CPU each, µs", "KB per user", "generator busy, %", "remarks",
]
GENERATOR = 1
"""Number of the left columns, which are the same in every row."""


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    peer = versions_of_the_relay()
    comparison = compared(place, SETTINGS, only, rounds, lambda key, setting: outcome_of(key[0], setting, place))
    rows = comparison.rows(HEAD, lambda key, result: cells(result))
    return written(
        "The cost of the editor compared with a plain relay",
        "The study's scenario, `crates/study/scenarios/editor-rooms.ts`, unchanged: rooms of 5, each user edits every 2 s and "
        f"moves the caret every 0.5 s, for {HOLD_S} s. One server, on one thread, is the editor, which stores each document as "
        "a CRDT and in SQLite. The other sends the same events with the official server, without a document or a log "
        f"(`e2e/socketio-relay`, {peer}).",
        comparison,
        HEAD[GENERATOR:],
        [row[GENERATOR:] for row in rows],
        goals_of(comparison),
        "All figures come from headcount's records, except the memory of the idle server. Wrong: deliveries that "
        "were lost, late, out of order, duplicated or "
        "misdelivered. CPU is that of the server's process, over the measured time; each: per "
        "delivery. KB per user is the increase of the process's peak memory since before the first user, in units of 1,000 bytes. "
        "A room has converged if all its members have the same text at the end: with the relay, two users whose edits "
        "crossed each keep the other's text (docs/reference/socketio.md). The goals compare values of the same round.",
    )


def versions_of_the_relay() -> str:
    """Returns the versions of Socket.IO and Node. Without both, a comparison is impossible."""
    package = E2E / "node_modules" / PACKAGE / "package.json"
    if shutil.which("node") is None or not package.is_file():
        raise Failure("the relay needs Node and its packages: sh e2e/install.sh")
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, timeout=60).stdout.strip()
    return f"Socket.IO {json.loads(package.read_text(encoding='utf-8'))['version']}, Node {node}"


def outcome_of(server: str, setting: Setting, place: Place) -> Outcome:
    """Runs one setting against a new server."""
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        folder = Path(name)
        with started(server, place, folder) as target:
            time.sleep(SETTLES_IN_S)
            idle_kb = usage(target.pid).resident_kb * 1024 / 1000
            command = place.on_core(GENERATOR_CORE, setting.command(place.headcount, target.url, folder))
            finished = finish(command, LIMIT_S, dict(os.environ))
            target.must_live()
        return replace(setting.read(finished, folder), idle_kb=idle_kb)


def started(server: str, place: Place, folder: Path) -> AbstractContextManager[Server]:
    if server == EDITOR:
        flags = ["--listen", "127.0.0.1:0", "--log", "warn", "--store", f"sqlite:{folder / 'editor.db'}"]
        return Server(server, place, [place.headcount, "serve", "editor", *flags])
    return Server(server, place, ["node", E2E / "socketio-relay" / "server.mjs"], {"SOCKET_IO": PACKAGE})


def cells(result: Results) -> list[str]:
    outcomes: list[Outcome] = list(result.of_round.values())
    rooms = sum(outcome.rooms for outcome in outcomes)
    return [
        span(result.values(lambda outcome: outcome.per_s), ",.0f"),
        f"{sum(outcome.expected for outcome in outcomes):,}",
        f"{sum(outcome.wrong for outcome in outcomes):,}",
        f"{sum(outcome.converged for outcome in outcomes):,} of {rooms:,}",
        *(span(result.values(lambda outcome: outcome.percentile_ms(percent)), ".2f") for percent in [50, 95, 99]),
        span(result.values(lambda outcome: outcome.cpu_percent), ".1f"),
        span(result.values(lambda outcome: outcome.cpu_each_us), ".2f"),
        span(result.values(lambda outcome: outcome.kb_per_user), ".1f"),
        span(result.values(lambda outcome: outcome.generator_percent), ".0f"),
        remarks([outcome.remarks for outcome in outcomes]),
    ]


def goals_of(comparison: Comparison) -> list[Goal]:
    """Returns goals relative to the relay, if both servers were run, and goals for the editor with many users."""
    goals = []
    for server, users in comparison.settings:
        if server == RELAY and (EDITOR, users) in comparison.settings:
            ours, theirs = comparison.of((EDITOR, users)), comparison.of((server, users))
            cpu = ratio(ours, theirs, lambda outcome: outcome.cpu_each_us)
            memory = ratio(ours, theirs, lambda outcome: outcome.kb_per_user)
            goals.append(at_most(f"CPU per delivery at {users:,} users, as a part of the relay's", cpu, 1 / 5))
            goals.append(at_most(f"memory per user at {users:,} users, as a part of the relay's", memory, 1 / 3))
    if (EDITOR, GOAL_AT) in comparison.settings:
        goals += goals_with_many(list(comparison.of((EDITOR, GOAL_AT)).of_round.values()))
    return goals


def goals_with_many(outcomes: list[Outcome]) -> list[Goal]:
    """Returns goals that apply in every round. An invalid round yields no times."""
    valid = bool(outcomes) and all(outcome.valid for outcome in outcomes)
    longest = max(outcome.percentile_ms(95) for outcome in outcomes) if valid else None
    wrong = sum(outcome.wrong for outcome in outcomes) if outcomes else None
    apart = sum(outcome.rooms - outcome.converged for outcome in outcomes) if outcomes else None
    return [
        at_most(f"the editor at {GOAL_AT:,} users, p95 in the worst round, ms", longest, 20),
        at_most(f"the editor at {GOAL_AT:,} users, deliveries that went wrong", wrong, 0, ",.0f"),
        at_most(f"the editor at {GOAL_AT:,} users, rooms that did not converge", apart, 0, ",.0f"),
    ]
