"""Counts the instructions of each operation of the hot path with callgrind, and compares the counts with a baseline."""

import json
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.place import BENCH
from common.process import complain
from common.table import table
from instructions.counted import Operation, Toolchain, counted, operations, toolchain

BASELINE = BENCH / "results" / "instructions.json"

GROWTH = 0.05
"""Growth above this share is a regression. A new compiler or allocator can change a count by some percent."""


@dataclass(frozen=True)
class Row:
    name: str
    instructions: float
    before: float | None

    @property
    def change(self) -> float | None:
        return None if self.before is None else self.instructions / self.before - 1

    def cells(self) -> list[str]:
        before = "" if self.before is None else f"{self.before:,.1f}"
        change = "new" if self.change is None else f"{self.change:+.1%}"
        return [self.name, f"{self.instructions:,.1f}", before, change]


def checked(only: list[str], blesses: bool) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether no count has grown. With `blesses`, the counts become the baseline."""
    now = toolchain()
    chosen = [one for one in operations() if not only or any(word in one.name for word in only)]
    if not chosen:
        raise Failure(f"no operation has {' or '.join(only)} in its name")
    before = {} if blesses and not BASELINE.exists() else read(BASELINE)
    known = before.get("operations", {})
    rows = [row_of(one, known) for one in chosen]
    if blesses:
        kept = known if only else {}
        write(BASELINE, now, kept | {row.name: round(row.instructions, 1) for row in rows})
    grown = [row for row in rows if row.change is not None and row.change > GROWTH]
    gone = [] if only else [name for name in known if name not in {row.name for row in rows}]
    return text_of(rows, grown, gone, before, now, blesses), blesses or not grown


def row_of(operation: Operation, known: dict[str, float]) -> Row:
    complain(operation.name)
    return Row(operation.name, counted(operation), known.get(operation.name))


def text_of(rows: list[Row], grown: list[Row], gone: list[str], before: dict, now: Toolchain, blessed: bool) -> str:
    lines = [table(["operation", "instructions", "baseline", "change"], [row.cells() for row in rows])]
    was = before.get("toolchain", {})
    if was and was != now.described():
        changed = ", ".join(f"{key} {was.get(key)} → {value}" for key, value in now.described().items() if was.get(key) != value)
        lines.append(f"The baseline is from another toolchain ({changed}): changes in all rows are not regressions.")
    if gone:
        lines.append(f"In the baseline but no longer measured: {', '.join(gone)}.")
    if blessed:
        lines.append(f"Saved as the new baseline: {BASELINE.relative_to(BENCH.parent)}.")
    elif grown:
        lines.append(f"Grown by more than {GROWTH:.0%}: {', '.join(row.name for row in grown)}.")
    else:
        lines.append(f"Nothing has grown by more than {GROWTH:.0%}.")
    return "\n\n".join(lines)


def read(path: Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"there is no baseline: {error}; create one with `--bless`") from error


def write(path: Path, toolchain_now: Toolchain, figures: dict[str, float]) -> None:
    baseline = {"toolchain": toolchain_now.described(), "operations": figures}
    path.write_text(json.dumps(baseline, indent=2) + "\n", encoding="utf-8")
