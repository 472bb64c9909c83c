"""Runs all tools of a bench in turn, and writes the comparison."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from common import machine
from common.failure import Failure
from common.goals import Goal, told
from common.place import Place
from common.report import Report
from common.rounds import Results, in_turn
from common.table import span, table
from common.tools import Setting


@dataclass(frozen=True)
class Comparison:
    """The settings and their results, under the keys of the bench."""

    settings: dict[Hashable, Setting]
    results: dict[Hashable, Results]
    rounds: int
    measured_on: str

    def of(self, key: Hashable) -> Results:
        """Returns the results of a setting. Empty if the setting was not run."""
        return self.results.get(key, Results())

    def rows(self, head: list[str], row: Callable[[Hashable, Results], list[str]]) -> list[list[str]]:
        """Returns rows with tool, setting, the bench's cells, and remarks. A setting without a result shows the reason
        instead."""
        rows = []
        for key, setting in self.settings.items():
            result = self.results[key]
            if result.of_round:
                cells = row(key, result)
                if result.failure:
                    cells[-1] = "; ".join(filter(None, [cells[-1], f"failed in the last run: {result.failure}"]))
            else:
                cells = [*["–"] * (len(head) - 3), f"no result: {result.failure}"]
            rows.append([setting.tool, setting.words, *cells])
        return rows


def compared(
    place: Place,
    settings: dict[Hashable, Setting],
    only: list[str],
    rounds: int,
    run: Callable[[Hashable, Setting], object],
) -> Comparison:
    """Runs each of the chosen settings once per round."""
    chosen = {key: setting for key, setting in settings.items() if setting.has(only)}
    if not chosen:
        raise Failure(f"no setting contains one of the words {', '.join(only)}")
    load_before = machine.load()
    results = in_turn(
        list(chosen), rounds, lambda key: run(key, chosen[key]), lambda key: f"{chosen[key].tool} {chosen[key].words}"
    )
    return Comparison(chosen, results, rounds, machine.described(place, list(chosen.values()), load_before))


def written(
    title: str, first: str, comparison: Comparison, head: list[str], rows: list[list[str]], goals: list[Goal], last: str
) -> tuple[str, bool]:
    """Formats the result. Also returns whether all its goals were reached."""
    times = "one round" if comparison.rounds == 1 else f"{comparison.rounds} rounds, medians with minimum and maximum in brackets"
    parts = [f"# {title}", f"{first} Every tool in turn, {times}.", comparison.measured_on, table(head, rows), *told(goals), last]
    return "\n\n".join(parts), all(goal.reached for goal in goals)


def remarks(of_each: list[list[str]]) -> str:
    """Returns the remarks of all rounds. Remarks that differ only in their number appear once."""
    kinds = {}
    for each in of_each:
        for remark in each:
            kinds.setdefault(remark.lstrip("0123456789, "), remark)
    return "; ".join(kinds.values())


def figure(reports: list[Report], name: str) -> str:
    """Returns a figure that the tool reports, in milliseconds."""
    values = [report.figures[name] for report in reports if name in report.figures]
    return span(values, ".2f") if values else "–"
