"""Compares a measured figure with the truth."""

from common.report import Report
from stall.truth import Truth

SHARE = 0.01
LEAST_MS = 0.05
NEAR = 0.05

# p90 lies on the boundary between undelayed and delayed requests. One request that is late for another reason moves p90
# across the boundary, so p90 is shown but not judged.
JUDGED = ["mean", "p50", "p95", "p99", "p99.9", "max"]


def off_by(value: float, low: float, high: float) -> float:
    """Returns the signed distance from the nearest correct value."""
    return value - low if value < low else max(0.0, value - high)


def cell(value: float | None, right: tuple[float, float]) -> str:
    """Formats the value, and its error in percent of the true value. A wrong value is bold."""
    if value is None:
        return "–"
    error = off_by(value, *right)
    percent = 100 * error / right[0]
    text = f"{value:.1f} ({percent:+.1f} %)" if abs(percent) < 100 else f"{value:.1f} (×{value / right[1]:.1f})"
    return text if is_right(value, right, SHARE) else f"**{text}**"


def is_right(value: float, right: tuple[float, float], share: float) -> bool:
    return abs(off_by(value, *right)) <= max(share * right[0], LEAST_MS)


def verdict(report: Report, truth: Truth) -> str:
    """Returns the verdict in one word, and the error of the worst figure."""
    judged = {name: report.figures[name] for name in JUDGED if name in report.figures}
    if all(is_right(value, truth.figures[name], SHARE) for name, value in judged.items()):
        return "right"
    if all(is_right(value, truth.figures[name], NEAR) for name, value in judged.items()):
        return "near (within 5 %)"
    factors = {name: factor(value, truth.figures[name]) for name, value in judged.items()}
    worst = max(factors, key=lambda name: max(factors[name], 1 / factors[name]))
    times = max(factors[worst], 1 / factors[worst])
    digits = 2 if times < 2 else 1
    return f"off by ×{times:.{digits}f} ({worst} too {'high' if 1 < factors[worst] else 'low'})"


def factor(value: float, right: tuple[float, float]) -> float:
    low, high = right
    return max(value, 0.001) / (low if value < low else max(high, min(value, high)))
