"""Measures deliveries in rooms: how many a tool can receive, track and time, and the cost of each delivery."""

from dataclasses import dataclass

from common.compared import Comparison, compared, figure, remarks, written
from common.failure import Failure
from common.goals import Goal, at_least, at_most
from common.observed import observed
from common.place import Place
from common.report import Report
from common.rounds import Results
from common.server import TruthServer
from common.table import span
from common.watched import Stretch
from fanout.settings import CASES, SECONDS, USERS, Case

ROUNDS = 5
QUEUE = 256 << 20
"""Size of the send queue of each listener, in bytes. A slow listener should be measured, not disconnected."""

HEAD = [
    "tool", "setting", "due/s", "delivered/s", "CPU %", "CPU each, µs", "of it user, µs", "per CPU-s", "server CPU %",
    "p50, ms", "p99, ms", "followed", "remarks",
]


@dataclass(frozen=True)
class Outcome:
    stretch: Stretch
    """The period at full load. Its counts are bytes."""
    bytes_each: float
    sent: int
    report: Report

    @property
    def per_s(self) -> float:
        return self.stretch.per_s / self.bytes_each

    @property
    def cpu_each_us(self) -> float:
        return self.stretch.cpu_each_us * self.bytes_each

    @property
    def user_each_us(self) -> float:
        return 1e6 * self.stretch.user_s / self.stretch.count * self.bytes_each

    @property
    def per_cpu_s(self) -> float:
        return self.stretch.per_cpu_s / self.bytes_each

    @property
    def followed(self) -> float:
        """Returns the share of the sent messages that the tool recorded."""
        return self.report.received / self.sent


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    cases = dict(enumerate(CASES))
    settings = {number: case.setting for number, case in cases.items()}
    comparison = compared(place, settings, only, rounds, lambda number, _: outcome_of(cases[number], place))
    return written(
        "The cost of a delivery",
        f"{USERS} sockets in rooms of the truth server for {SECONDS} s. `burst`: all in one room; one sends 20 messages at "
        "once, which arrive at each of the others in one piece. `paced`: rooms of 10, each user sends a message every 50 ms "
        "to all ten, 10,000 deliveries/s.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda number, result: cells(cases[number], result)),
        goals_of(cases, comparison),
        "Delivered is the number of frames that the server's kernel accepted, per second of the time at full load. CPU time (user and "
        "system, of the tool and all its children, including sending) covers the same time. Every tool times every delivery. "
        "headcount and the client on Node's `ws` also detect lost and duplicated messages, per sender and listener; k6 only counts. "
        "Followed is the share of the server's messages that the tool reports, over the whole run (headcount's report omits "
        "messages before and after the measurement). The tools report p50 and p99. If a tool is overloaded, they show its own queue.",
    )


def outcome_of(case: Case, place: Place) -> Outcome:
    with TruthServer(place, "--queue", QUEUE) as server:
        seen = observed(case.setting, place, server, case.room.path, lambda: server.did()["connections"]["bytes_out"])
        did = server.did()
    sent = did["websocket"]["sum"]["sent"]
    if not sent:
        raise Failure("nothing was delivered")
    return Outcome(seen.watch.stretch(), did["connections"]["bytes_out"] / sent, sent, seen.report)


def cells(case: Case, result: Results) -> list[str]:
    outcomes = list(result.of_round.values())
    reports = [outcome.report for outcome in outcomes]
    return [
        f"{case.room.due_per_s:,.0f}",
        span(result.values(lambda outcome: outcome.per_s), ",.0f"),
        span(result.values(lambda outcome: outcome.stretch.cpu_percent), ".1f"),
        span(result.values(lambda outcome: outcome.cpu_each_us), ".3f"),
        f"{result.median(lambda outcome: outcome.user_each_us):.3f}",
        f"{result.median(lambda outcome: outcome.per_cpu_s):,.0f}",
        f"{result.median(lambda outcome: outcome.stretch.target_percent):.0f}",
        figure(reports, "p50"),
        figure(reports, "p99"),
        f"{100 * result.median(lambda outcome: outcome.followed):.1f} %",
        remarks([report.remarks for report in reports]),
    ]


def goals_of(cases: dict[int, Case], comparison: Comparison) -> list[Goal]:
    """Returns the goals of headcount itself. The table shows the results of the other tools."""
    goals = []
    ours = {
        number: comparison.of(number)
        for number, case in cases.items()
        if case.setting.tool == "headcount" and comparison.of(number).of_round
    }
    bursts = [result for number, result in ours.items() if cases[number].kind == "burst"]
    if bursts:
        most = max(result.median(lambda outcome: outcome.per_s) for result in bursts)
        own = min(result.median(lambda outcome: outcome.user_each_us) for result in bursts)
        goals.append(at_least("burst, deliveries/s", most, 2_000_000, ",.0f"))
        goals.append(at_most("burst, own work (user CPU) per delivery, µs", own, 0.2, ".3f"))
    for number, result in ours.items():
        if cases[number].kind == "paced":
            percent = result.median(lambda outcome: outcome.stretch.cpu_percent)
            goals.append(at_most("paced, CPU at 10,000 deliveries/s, % of a core", percent, 5, ".1f"))
    return goals
