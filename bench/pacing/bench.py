"""Runs every tool that supports a fixed rate against a server that responds immediately. Prints the table."""

from common import machine
from common.failure import Failure
from common.place import Place
from common.process import complain
from common.run import Outcome, outcome_of
from common.table import listed, table
from common.tools import HOLD_S
from pacing.evenness import Evenness, evenness
from pacing.settings import SETTINGS, Paced
from pacing.watch import Arrivals, watched

PATH = "/delay/0ms"
SHARE = 0.001
START_LAG_MS = 0.1

HEAD = [
    "planned", "tool", "setting", "arrived", "arrivals/s", "off the plan", "worst tenths, per s", "off the line, ms",
    "start lag p99, µs", "CPU %", "verdict",
]


def measured(place: Place, only: list[str]) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether headcount kept its plan in every run."""
    chosen = [paced for paced in SETTINGS if paced.setting.has(only)]
    if not chosen:
        raise Failure(f"no setting contains one of the words {', '.join(only)}")
    load_before = machine.load()
    rows, doubts, passed = [], [], True
    for paced in chosen:
        arrivals = Arrivals()
        try:
            outcome = outcome_of(paced.setting, place, PATH, lambda server, into=arrivals: watched(server, PATH, into))
            row, kept = row_of(paced, outcome, evenness(arrivals))
            doubts += [f"{paced.setting.tool} {paced.setting.words}: {doubt}" for doubt in outcome.report.doubts]
        except Failure as failure:
            row, kept = [*["–"] * (len(HEAD) - 4), f"no result: {failure}"], False
        complain(f"    {row[-1]}")
        rows.append([f"{paced.per_s:,}/s", paced.setting.tool, paced.setting.words, *row])
        passed &= kept or paced.setting.tool != "headcount"
    return text(machine.described(place, [paced.setting for paced in chosen], load_before), rows, doubts), passed


def row_of(paced: Paced, outcome: Outcome, even: Evenness) -> tuple[list[str], bool]:
    report, arrived = outcome.report, outcome.server["routes"][PATH]["requests"]
    planned = paced.per_s * HOLD_S
    lag = report.start_lag_p99_ms
    kept = abs(arrived - planned) <= SHARE * planned and abs(even.per_s - paced.per_s) <= SHARE * paced.per_s
    prompt = lag is None or lag < START_LAG_MS
    row = [
        f"{arrived:,}",
        f"{even.per_s:,.1f}",
        f"{100 * (arrived / planned - 1):+.3f} %",
        f"{even.lowest_per_s:,.0f}–{even.highest_per_s:,.0f}",
        f"{even.away_ms:.1f}",
        "–" if lag is None else f"{lag * 1000:.0f}",
        f"{100 * outcome.finished.cpu_s / outcome.finished.wall_s:.0f}",
    ]
    word = "kept" if kept else f"not kept: {100 * arrived / planned:.1f} % of the plan"
    late = [] if prompt else [f"starts late: p99 {lag:.2f} ms"]
    return [*row, "; ".join([word, *late, *report.remarks])], kept and prompt


def text(measured_on: str, rows: list[list[str]], doubts: list[str]) -> str:
    """Formats the result."""
    return "\n\n".join([
        "# Keeping a rate",
        f"A rate for {HOLD_S} s on a server that responds immediately and counts arrivals. Its count is read ten "
        "times a second.",
        measured_on,
        table(HEAD, rows),
        *listed(doubts),
        "`kept`: the arrivals in total, and the arrivals per second without the first and the last second, are within "
        "0.1 % of the plan. The worst tenths are the fewest and the most arrivals in a tenth of a second, as a rate. Off "
        "the line is the largest distance of the count from a constant rate, as time. At 1,000/s, one more arrival in a tenth "
        "of a second is 10/s. The start lag is headcount's own "
        "figure: from the planned to the actual start. The goal is < 100 µs at p99; the peers do not report theirs. CPU is "
        "that of the whole program from its start to its end, in percent of one core.",
    ])
