"""Runs every setting against the stalling server, and prints the table."""

from common import machine
from common.failure import Failure
from common.place import Place
from common.process import complain
from common.run import Outcome, outcome_of
from common.server import TruthServer
from common.table import listed, table
from common.tools import HOLD_S, Setting
from stall import truth
from stall.probe import must_keep_its_schedule
from stall.settings import MUST_BE_RIGHT, SETTINGS
from stall.truth import DELAY_US, EVERY_US, FIRST_US, LASTS_US, RATE, Truth
from stall.verdict import SHARE, cell, verdict

PATH = f"/stall/{DELAY_US // 1000}ms/{LASTS_US // 1_000_000}s/{EVERY_US // 1_000_000}s/{FIRST_US}us"
COLUMNS = ["mean", "p50", "p90", "p95", "p99", "p99.9", "max"]


def measured(place: Place, only: list[str]) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether headcount was correct in all settings in which it must be."""
    chosen = [setting for setting in SETTINGS if setting.has(only)]
    if not chosen:
        raise Failure(f"no setting contains one of the words {', '.join(only)}")
    right, load_before = truth.computed(), machine.load()
    with TruthServer(place) as server:
        must_keep_its_schedule(server)
    rows, late, doubts, passed = [], [], [], True
    for setting in chosen:
        try:
            outcome = outcome_of(setting, place, PATH)
        except Failure as failure:
            complain(f"    {failure}")
            rows.append([setting.tool, setting.words, *["–"] * (len(COLUMNS) + 2), f"no result: {failure}"])
            passed &= setting not in MUST_BE_RIGHT
            continue
        word = verdict(outcome.report, right)
        complain(f"    {word}")
        rows.append(row_of(setting, outcome, right, word))
        doubts += [f"{setting.tool} {setting.words}: {doubt}" for doubt in outcome.report.doubts]
        late.append(outcome.server["lateness"]["p99_ns"] / 1e6)
        passed &= setting not in MUST_BE_RIGHT or word == "right"
    return text(machine.described(place, chosen, load_before), rows, right, late, doubts), passed


def row_of(setting: Setting, outcome: Outcome, right: Truth, word: str) -> list[str]:
    report = outcome.report
    cells = [cell(report.figures.get(column), right.figures[column]) for column in COLUMNS]
    counts = [f"{report.sent:,}", f"{held_in(outcome.server):,}"]
    late_ms = outcome.server["lateness"]["p99_ns"] / 1e6
    busy = [f"busy machine: the server itself was {late_ms:.1f} ms late (p99)"] if SHARE * DELAY_US / 1000 < late_ms else []
    return [setting.tool, setting.words, *counts, *cells, "; ".join([word, *report.remarks, *busy])]


def held_in(did: dict) -> int:
    """Returns the number of responses that a stall delayed, and the number of messages that one scenario sent in a room."""
    stalls = did["routes"].get(PATH, {}).get("stalls", [])
    return sum(stall["held"] for stall in stalls) + did["websocket"]["sum"]["stalled"]


def text(measured_on: str, rows: list[list[str]], right: Truth, late: list[float], doubts: list[str]) -> str:
    """Formats the result."""
    ranges = [right.figures[column] for column in COLUMNS]
    true = [f"{low:.1f}" if low == high else f"{low:.1f}–{high:.1f}" for low, high in ranges]
    head = ["tool", "setting", "sent", "in stall", *COLUMNS, "verdict"]
    first = ["**truth**", f"{RATE}/s for {HOLD_S} s", f"{right.sent:,}", f"{right.stalled:,}", *true, ""]
    own = f"The server's own responses left at most {max(late):.2f} ms late (p99, the worst of all rows)." if late else ""
    return "\n\n".join([
        "# Against a server that stalls",
        f"The server responds after {DELAY_US // 1000} ms. It stalls for {LASTS_US // 1_000_000} s in every "
        f"{EVERY_US // 1_000_000} s, first {FIRST_US / 1e6} s after its first request. The correct report for "
        f"{RATE} arrivals a second for {HOLD_S} s follows from that alone. Times in milliseconds.",
        measured_on,
        table(head, [first, *rows]),
        *listed(doubts),
        "`right`: mean, p50, p95, p99, p99.9 and max, as far as the tool reports them, are within 1 % or 50 µs of the "
        "truth. Bold: a figure outside. A tool that sends less or later than planned measures another load: "
        "its figures are then right for what it sent, but wrong for the question. p90 lies on the edge "
        "between delayed and undelayed requests, and is not judged. " + own,
    ])
