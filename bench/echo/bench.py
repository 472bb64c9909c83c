"""Measures the cost of a round trip: WebSocket echo in a closed loop."""

from dataclasses import dataclass

from common.compared import Comparison, compared, figure, remarks, written
from common.goals import Goal, at_least
from common.observed import observed
from common.place import BENCH, Place
from common.report import Report, of_k6_ws
from common.rounds import Results, ratio
from common.server import TruthServer
from common.table import span
from common.tools import Setting, headcount, headcount_bench, k6, locust, ws
from common.watched import Stretch

ROUNDS = 5
SECONDS = 5
USERS = 50

SETTINGS = {
    "scripted": headcount("`run`, `socket.request`", BENCH / "echo" / "talk.ts", more=f"--users {USERS} --duration {SECONDS}s"),
    "native": headcount_bench(f"-c {USERS} -d {SECONDS}s", "ws://"),
    "ws": ws("Node", MODE="echo", USERS=USERS, SECONDS=SECONDS),
    "k6": k6("k6/websockets", "k6-ws.js", of_k6_ws, MODE="echo", USERS=USERS, SECONDS=SECONDS),
    "Locust": locust("websocket-client", USERS, 0, SECONDS, "locust_ws.py"),
}

HEAD = [
    "tool", "setting", "round trips/s", "per CPU-s", "CPU each, µs", "of it user, µs", "× ws", "CPU %", "server CPU %",
    "p50, ms", "p99, ms", "remarks",
]


@dataclass(frozen=True)
class Outcome:
    stretch: Stretch
    report: Report


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    comparison = compared(place, SETTINGS, only, rounds, lambda _, setting: outcome_of(setting, place))
    return written(
        "The cost of a round trip",
        f"{USERS} sockets at `/echo` of the truth server: messages of four letters, in closed loops of {SECONDS} s.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda _, result: cells(result, comparison)),
        goals_of(comparison),
        "The server counts the messages. CPU time (user and system, of the tool and all its children) is read from "
        "`/proc`. Both cover the time from a second after the first message to 0.3 s before the last. Every tool times every round "
        "trip; it reports p50 and p99. × ws is the number of round trips per CPU-second relative to Node's in the same round.",
    )


def outcome_of(setting: Setting, place: Place) -> Outcome:
    with TruthServer(place) as server:
        seen = observed(setting, place, server, "/echo", lambda: server.did()["websocket"]["sum"]["messages"])
    return Outcome(seen.watch.stretch(), seen.report)


def cells(result: Results, comparison: Comparison) -> list[str]:
    outcomes = list(result.of_round.values())
    times = ratio(result, comparison.of("ws"), per_cpu_s)
    return [
        span(result.values(lambda outcome: outcome.stretch.per_s), ",.0f"),
        f"{result.median(per_cpu_s):,.0f}",
        span(result.values(lambda outcome: outcome.stretch.cpu_each_us), ".2f"),
        f"{result.median(lambda outcome: 1e6 * outcome.stretch.user_s / outcome.stretch.count):.2f}",
        "–" if times is None else f"{times:.2f}",
        f"{result.median(lambda outcome: outcome.stretch.cpu_percent):.0f}",
        f"{result.median(lambda outcome: outcome.stretch.target_percent):.0f}",
        *[figure([outcome.report for outcome in outcomes], name) for name in ["p50", "p99"]],
        remarks([outcome.report.remarks for outcome in outcomes]),
    ]


def per_cpu_s(outcome: Outcome) -> float:
    return outcome.stretch.per_cpu_s


def goals_of(comparison: Comparison) -> list[Goal]:
    bounds = [("scripted", "k6", 4.0), ("scripted", "ws", 1.6), ("native", "ws", 2.2)]
    return [
        at_least(f"{name}, round trips per CPU-second, × {peer}", ratio(comparison.of(name), comparison.of(peer), per_cpu_s), least)
        for name, peer, least in bounds
        if comparison.of(name).of_round and comparison.of(peer).of_round
    ]
