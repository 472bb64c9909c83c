"""Goals for a result, and whether the result reaches them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """A figure and its limit. A goal without a figure counts as not reached."""

    words: str
    value: float | None
    bound: float
    least: bool
    """Whether the limit is a minimum. Otherwise it is a maximum."""
    form: str = ".2f"

    @property
    def reached(self) -> bool:
        if self.value is None:
            return False
        return self.bound <= self.value if self.least else self.value <= self.bound

    def line(self) -> str:
        sign = "≥" if self.least else "≤"
        told = "not measured" if self.value is None else format(self.value, self.form)
        word = "reached" if self.reached else "**not reached**" if self.value is not None else "open"
        return f"- {self.words}: {told} (goal {sign} {self.bound:{self.form}}): {word}"


def at_most(words: str, value: float | None, bound: float, form: str = ".2f") -> Goal:
    return Goal(words, value, bound, least=False, form=form)


def at_least(words: str, value: float | None, bound: float, form: str = ".2f") -> Goal:
    return Goal(words, value, bound, least=True, form=form)


def told(goals: list[Goal]) -> list[str]:
    """Formats a paragraph with all goals. Empty without goals."""
    return ["Goals:\n\n" + "\n".join(goal.line() for goal in goals)] if goals else []
