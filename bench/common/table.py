"""Formats Markdown tables."""

import statistics


def table(head: list[str], rows: list[list[str]]) -> str:
    """Formats a Markdown table. Columns are aligned, so that the source is readable too."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    drawn = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    return "\n".join([drawn[0], rule, *drawn[1:]])


def listed(doubts: list[str]) -> list[str]:
    """Formats a paragraph with all doubts. Empty without doubts."""
    return ["In doubt:\n\n" + "\n".join(f"- {doubt}" for doubt in doubts)] if doubts else []


def span(values: list[float], form: str) -> str:
    """Formats the median. If there are several values, the minimum and the maximum are added."""
    middle = format(statistics.median(values), form)
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}}–{max(values):{form}})"
