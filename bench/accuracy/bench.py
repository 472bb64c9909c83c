"""Compares each tool's p99 with the server's own times, on a core that is nearly full and on one that is too small."""

from dataclasses import dataclass

from accuracy.settings import CLOSED, FULLER, OPEN, Open
from common.compared import Comparison, compared, remarks, written
from common.failure import Failure
from common.goals import Goal, at_least, at_most
from common.observed import Seen, observed
from common.place import Place
from common.process import complain
from common.report import Report
from common.rounds import Results
from common.server import TruthServer
from common.table import span
from common.tools import Setting
from common.watched import Stretch

ROUNDS = 5
PATH = "/delay/20ms"
BUSY_PERCENT = 80
NEAR_PERCENT = 5
TRIES = 6
KEPT = 0.03
SHARE = 0.01
LEAST_MS = 0.05
CLOSED_MS = 1.0

HEAD = [
    "tool",
    "setting",
    "requests/s",
    "CPU %",
    "server CPU %",
    "the server's p99, ms",
    "p99, ms",
    "error, ms",
    "from the planned start, ms",
    "its bound, ms",
    "verdict",
]


@dataclass(frozen=True)
class Outcome:
    stretch: Stretch
    report: Report
    true_ms: float
    """Returns the p99 of the server's own times, from a request's arrival in the server's kernel to the response's write."""

    @property
    def p99_ms(self) -> float:
        """Returns the p99 from the actual sending if the tool reports it, because the server sees this. Otherwise the
        reported p99."""
        return self.report.service_p99_ms or self.report.figures["p99"]

    @property
    def error_ms(self) -> float:
        return self.p99_ms - self.true_ms

    @property
    def not_sound(self) -> bool:
        return "invalid" in self.report.remarks


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    rates: dict[str, int] = {}

    def run(key: tuple[str, object], setting: Setting) -> Outcome:
        tool, load = key
        if load != "open":
            return outcome_of(setting, place)
        if tool not in rates:
            rates[tool] = rate_for(OPEN[tool], place)
        return outcome_of(OPEN[tool].at(rates[tool]), place)

    settings = {(tool, "open"): one.at(one.first_rate) for tool, one in OPEN.items()} | FULLER | CLOSED
    comparison = compared(place, settings, only, rounds, run)
    return written(
        "Is p99 true when the core is nearly full?",
        f"The truth server responds after 20 ms. The open loads run at the rate that keeps the tool's core busy for "
        f"{BUSY_PERCENT} % (found by a search beforehand). In the closed loads, users send the next request immediately, "
        "and 1,000 of them may need more than one core.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda key, result: cells(key, result)),
        goals_of(comparison),
        f"`right`: within 1 % or 50 µs of the server's p99 (open), within {CLOSED_MS:g} ms (closed), in all rounds. `told`: it was "
        "not, but the tool itself reported its figures as invalid. CPU covers the time at full load. The server's times count from "
        "the arrival of a request in its kernel to the write of the response. The tools' p99 count from the actual send, except for "
        "oha's with a rate. The p99 that headcount's thresholds use counts from the planned start, so it includes late starts; "
        "headcount's reports state them as their error bound. There is no "
        "warm-up: both sides count all requests, including those that open connections.",
    )


def outcome_of(setting: Setting, place: Place) -> Outcome:
    seen, true_ms = beside_truth(setting, place)
    if "p99" not in seen.report.figures:
        raise Failure("the tool reported no p99")
    return Outcome(seen.watch.stretch(), seen.report, true_ms)


def beside_truth(setting: Setting, place: Place) -> tuple[Seen, float]:
    with TruthServer(place) as server:

        def count() -> int:
            return server.did()["routes"].get(PATH, {}).get("requests", 0)

        seen = observed(setting, place, server, PATH, count)
        return seen, server.did()["routes"][PATH]["time"]["p99_ns"] / 1e6


def rate_for(one: Open, place: Place) -> int:
    """Finds the rate that keeps the tool's core as busy as required. It is a binary search between a rate that leaves the
    core too idle and a rate that is too high."""
    rate, low, high = one.first_rate, 0, None
    best: tuple[float, int] | None = None
    for _ in range(TRIES):
        seen, _ = beside_truth(one.at(rate), place)
        stretch = seen.watch.stretch()
        percent, kept = stretch.cpu_percent, abs(stretch.per_s / rate - 1) <= KEPT
        complain(f"    {rate:,}/s: {stretch.per_s:,.0f}/s arrive, {percent:.0f} % of the core")
        if kept:
            best = min(filter(None, [best, (abs(percent - BUSY_PERCENT), rate)]))
        if kept and percent < BUSY_PERCENT:
            low = max(low, rate)
        else:
            high = min(high or rate, rate)
        if best and best[0] <= NEAR_PERCENT:
            break
        rate = int(round((low + high) / 2 if high else rate * min(2.0, BUSY_PERCENT / percent), -2))
    if best is None:
        raise Failure("no rate was found that the tool can keep: check for other processes on its core")
    return best[1]


def cells(key: tuple[str, object], result: Results) -> list[str]:
    outcomes = list(result.of_round.values())
    return [
        span(result.values(lambda outcome: outcome.stretch.per_s), ",.0f"),
        span(result.values(lambda outcome: outcome.stretch.cpu_percent), ".0f"),
        f"{result.median(lambda outcome: outcome.stretch.target_percent):.0f}",
        f"{result.median(lambda outcome: outcome.true_ms):.2f}",
        span(result.values(lambda outcome: outcome.p99_ms), ".2f"),
        span(result.values(lambda outcome: outcome.error_ms), "+.2f"),
        *planned_cells(outcomes),
        "; ".join(filter(None, [verdict(key, outcomes), remarks([outcome.report.remarks for outcome in outcomes])])),
    ]


def planned_cells(outcomes: list[Outcome]) -> list[str]:
    bounds = [bound for outcome in outcomes if (bound := outcome.report.bound_ms) is not None]
    if not bounds:
        return ["", ""]
    return [span([outcome.report.figures["p99"] for outcome in outcomes], ".2f"), "−" + span(bounds, ".2f")]


def is_right(key: tuple[str, object], outcome: Outcome) -> bool:
    allowed = CLOSED_MS if key in CLOSED else max(SHARE * outcome.true_ms, LEAST_MS)
    return abs(outcome.error_ms) <= allowed


def verdict(key: tuple[str, object], outcomes: list[Outcome]) -> str:
    wrong = [outcome for outcome in outcomes if not is_right(key, outcome)]
    if not wrong:
        return "right"
    if all(outcome.not_sound for outcome in wrong):
        return "told"
    worst = max(wrong, key=lambda outcome: abs(outcome.error_ms))
    said = "only called questionable" if "questionable" in worst.report.remarks else "without a warning"
    return f"**off by {worst.error_ms:+.1f} ms, {said}**"


def goals_of(comparison: Comparison) -> list[Goal]:
    """Returns the goals of headcount itself."""
    goals = []
    for load, words in [("open", f"open, at {BUSY_PERCENT} % of a core"), ("40,000/s", "open, at 40,000/s")]:
        errors = [abs(outcome.error_ms) for outcome in comparison.of(("headcount", load)).of_round.values()]
        if errors:
            goals.append(at_most(f"{words}: error of p99 in the worst round, ms", max(errors), 0.2))
    closed = [key for key in comparison.settings if key[0] == "headcount" and key in CLOSED]
    outcomes = [(key, outcome) for key in closed for outcome in comparison.of(key).of_round.values()]
    if outcomes:
        honest = [is_right(key, outcome) or outcome.not_sound for key, outcome in outcomes]
        words = "closed: rounds in which p99 was within 1 ms of the truth, or was reported as invalid, %"
        goals.append(at_least(words, 100 * sum(honest) / len(honest), 100, ".0f"))
    return goals
