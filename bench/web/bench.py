"""Runs closed loops of every tool against nginx, to compare the cost of a request."""

from dataclasses import dataclass

from common.compared import Comparison, compared, figure, remarks, written
from common.goals import Goal, at_least, at_most
from common.observed import observed
from common.place import Place
from common.report import Report
from common.rounds import Results, ratio
from common.table import span
from common.tools import Setting
from common.watched import Stretch
from web.nginx import Nginx
from web.settings import CONNECTIONS, SECONDS, settings

ROUNDS = 5

HEAD = [
    "tool", "setting", "connections", "requests/s", "CPU per request, µs", "× wrk", "requests per CPU-s", "CPU %",
    "nginx CPU %", "peak memory, MB", "p50, ms", "worst / p50", "remarks",
]


@dataclass(frozen=True)
class Outcome:
    stretch: Stretch
    report: Report
    peak_mb: float

    def unfairness(self) -> float | None:
        """The longest time divided by the median: of users' time between requests if reported, otherwise of response
        times."""
        figures = self.report.turns or self.report.figures
        return figures["max"] / figures["p50"] if figures.get("p50") and "max" in figures else None


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    all_of_them = {
        (connections, name): setting for connections in CONNECTIONS for name, setting in settings(connections).items()
    }
    comparison = compared(place, all_of_them, only, rounds, lambda _, setting: outcome_of(setting, place))
    return written(
        "The cost of a request",
        f"nginx with one worker responds with two letters; closed loops of {SECONDS} s.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda key, result: cells(key, result, comparison)),
        goals_of(comparison),
        "nginx counts the requests (`stub_status`). CPU time (user and system, of the tool and all its children) is "
        "read from `/proc`. Both cover the time from a second after the first request to 0.3 s before the last, without "
        "start-up. × wrk is the CPU time per request relative to wrk's in the same round. If nginx is at 95 % or more, it "
        "is the limit: requests/s then does not describe the tool, but CPU per request does. The tools report p50 and worst / p50 (the "
        "slowest request relative to the median). headcount's request times do not include its own delays, so "
        "its worst / p50 covers whole iterations, each of which is one request.",
    )


def outcome_of(setting: Setting, place: Place) -> Outcome:
    with Nginx(place) as nginx:
        seen = observed(setting, place, nginx, "/", nginx.count)
    return Outcome(seen.watch.stretch(), seen.report, seen.watch.peak_mb())


def cells(key: tuple[int, str], result: Results, comparison: Comparison) -> list[str]:
    outcomes = list(result.of_round.values())
    times = ratio(result, comparison.of((key[0], "wrk")), cpu_each)
    unfair = unfairness(result)
    return [
        f"{key[0]:,}",
        span(result.values(lambda outcome: outcome.stretch.per_s), ",.0f"),
        span(result.values(cpu_each), ".2f"),
        "–" if times is None else f"{times:.2f}",
        f"{result.median(per_cpu_s):,.0f}",
        f"{result.median(lambda outcome: outcome.stretch.cpu_percent):.0f}",
        f"{result.median(lambda outcome: outcome.stretch.target_percent):.0f}",
        f"{result.median(lambda outcome: outcome.peak_mb):.0f}",
        figure([outcome.report for outcome in outcomes], "p50"),
        span(unfair, ".1f") if unfair else "–",
        remarks([outcome.report.remarks for outcome in outcomes]),
    ]


def cpu_each(outcome: Outcome) -> float:
    return outcome.stretch.cpu_each_us


def per_cpu_s(outcome: Outcome) -> float:
    return outcome.stretch.per_cpu_s


def unfairness(result: Results) -> list[float]:
    return [value for outcome in result.of_round.values() if (value := outcome.unfairness()) is not None]


def goals_of(comparison: Comparison) -> list[Goal]:
    """Returns the goals for which both compared settings were run."""
    goals = []
    for connections in CONNECTIONS:
        where = f"at {connections:,}"
        of = {name: comparison.of((connections, name)) for name in ["wrk", "bench", "one", "k6", "Locust", "Artillery"]}
        if of["bench"].of_round:
            goals.append(at_most(f"`bench`, CPU per request, × wrk {where}", ratio(of["bench"], of["wrk"], cpu_each), 0.9))
        if not of["one"].of_round:
            continue
        goals.append(at_most(f"scripted, CPU per request, × wrk {where}", ratio(of["one"], of["wrk"], cpu_each), 1.15))
        for peer, least in [("k6", 8), ("Locust", 14), ("Artillery", 40)]:
            if of[peer].of_round:
                words = f"scripted, requests per CPU-second, × {peer} {where}"
                goals.append(at_least(words, ratio(of["one"], of[peer], per_cpu_s), least, ".1f"))
        if connections == max(CONNECTIONS):
            worst = max(unfairness(of["one"]), default=None)
            goals.append(at_most(f"scripted, slowest turn of a user, × the median {where}", worst, 3, ".1f"))
    return goals
