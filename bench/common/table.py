"""Markdown tables."""

import statistics


def table(head: list[str], rows: list[list[str]]) -> str:
    """Aligned, so that it can be read as text too."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    drawn = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    return "\n".join([drawn[0], rule, *drawn[1:]])


def listed(doubts: list[str]) -> list[str]:
    """A paragraph of what was in doubt, or none."""
    return ["In doubt:\n\n" + "\n".join(f"- {doubt}" for doubt in doubts)] if doubts else []


def span(values: list[float], form: str) -> str:
    """The median; with more than one, the least and the most too."""
    middle = format(statistics.median(values), form)
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}}–{max(values):{form}})"
