"""Measures what a delivery over NATS and a command of Redis cost, beside the servers' own benchmark tools."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from brokers.servers import Broker, NatsServer, RedisServer
from common.compared import Comparison, compared, remarks, written
from common.goals import Goal, at_most
from common.observed import observed
from common.place import BENCH, Place
from common.report import Report, of_headcount, of_headcounts_deliveries, of_nobody
from common.rounds import Results, ratio
from common.table import span
from common.tools import Setting, headcount
from common.watched import Stretch

ROUNDS = 5
SECONDS = 5
SUBSCRIBERS = 50
SCENARIOS = BENCH / "brokers"
SIZE = 90
"""Size of a message, in bytes: as large as those of the scenario."""

HEAD = ["tool", "setting", "count/s", "CPU %", "CPU each, µs", "of it user, µs", "server CPU %", "remarks"]


@dataclass(frozen=True)
class Case:
    server: Callable[[Place], Broker]
    setting: Setting


@dataclass(frozen=True)
class Outcome:
    stretch: Stretch
    report: Report


def nats_bench(per_s: int) -> Setting:
    """Builds a command that subscribes and publishes in two processes. The subscribers end after the last message."""
    count = per_s * SECONDS
    both = (
        f'"$1" bench sub said --server "$2" --clients {SUBSCRIBERS} --msgs {count} --size {SIZE}B --no-progress & sleep 1; '
        f'"$1" bench pub said --server "$2" --msgs {count} --size {SIZE}B --throughput {per_s} --no-progress; wait'
    )

    def command(program: Path, url: str, _: Path) -> list:
        return ["sh", "-c", both, "sh", program, url]

    return Setting("nats", published(per_s), command, of_nobody)


def headcount_deliveries(per_s: int) -> Setting:
    every = ("AT_ONCE = 2", f"AT_ONCE = {per_s // 1000}")
    return headcount(published(per_s), SCENARIOS / "deliveries.ts", of_headcounts_deliveries, f"--duration {SECONDS}s", every)


def published(per_s: int) -> str:
    return f"{per_s:,} messages/s to {SUBSCRIBERS} subscribers"


def redis_benchmark(commands: int) -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        port = url.rsplit(":", 1)[1]
        return [program, "-h", "127.0.0.1", "-p", port, "-c", 50, "-n", commands, "-t", "get", "-q"]

    return Setting("redis-benchmark", "GET on 50 connections", command, of_nobody)


CASES = {
    **{f"nats {rate}": Case(NatsServer, nats_bench(rate)) for rate in [2000, 8000]},
    **{f"headcount {rate}": Case(NatsServer, headcount_deliveries(rate)) for rate in [2000, 8000]},
    "redis-benchmark": Case(RedisServer, redis_benchmark(400_000)),
    "headcount redis": Case(RedisServer, headcount("GET on 50 connections", SCENARIOS / "commands.ts", of_headcount)),
}

RIVALS = [
    ("headcount 2000", "nats 2000", "a delivery over NATS, 100,000/s"),
    ("headcount 8000", "nats 8000", "a delivery over NATS, 400,000/s"),
    ("headcount redis", "redis-benchmark", "GET of Redis"),
]


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    settings = {name: case.setting for name, case in CASES.items()}
    comparison = compared(place, settings, only, rounds, lambda name, _: outcome_of(CASES[name], place))
    return written(
        "The cost of brokers' messages and commands",
        f"`nats-server`: one publisher, {SUBSCRIBERS} subscribers with a connection each, messages of about {SIZE} bytes. "
        "`redis-server`: 50 connections in closed loops.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda _, result: cells(result)),
        goals_of(comparison),
        "The servers count the messages that they send, and the commands. CPU time (user and system, of the tool and all its "
        "children, including publishing) covers the time at full load. headcount follows every delivery to every subscriber and "
        "times it; `nats bench` counts. Both time every command of Redis.",
    )


def outcome_of(case: Case, place: Place) -> Outcome:
    with case.server(place) as server:
        seen = observed(case.setting, place, server, "", server.did)
    return Outcome(seen.watch.stretch(), seen.report)


def cells(result: Results) -> list[str]:
    return [
        span(result.values(lambda outcome: outcome.stretch.per_s), ",.0f"),
        f"{result.median(lambda outcome: outcome.stretch.cpu_percent):.0f}",
        span(result.values(cpu_each_us), ".2f"),
        f"{result.median(lambda outcome: 1e6 * outcome.stretch.user_s / outcome.stretch.count):.2f}",
        f"{result.median(lambda outcome: outcome.stretch.target_percent):.0f}",
        remarks([outcome.report.remarks for outcome in result.of_round.values()]),
    ]


def cpu_each_us(outcome: Outcome) -> float:
    return outcome.stretch.cpu_each_us


def goals_of(comparison: Comparison) -> list[Goal]:
    return [
        at_most(f"{words}, CPU, × {peer.split()[0]}", ratio(comparison.of(own), comparison.of(peer), cpu_each_us), 1.0)
        for own, peer, words in RIVALS
        if comparison.of(own).of_round and comparison.of(peer).of_round
    ]
