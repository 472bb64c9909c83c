"""Reads the figures that each tool prints."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path

from common.failure import Failure
from common.hdr import Histogram, decoded
from common.process import Finished


PERCENTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "p99.9": 99.9}


@dataclass(frozen=True)
class Report:
    """Times in milliseconds. Figures that the tool does not print are missing."""

    sent: int
    figures: dict[str, float]
    remarks: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    """The tool's own warnings about its figures."""
    start_lag_p99_ms: float | None = None
    service_p99_ms: float | None = None
    """The p99 from the actual sending. Set if the figures count from the planned start."""
    bound_ms: float | None = None
    """The error bound that the tool states: how much its p99 is overstated at most."""
    turns: dict[str, float] = field(default_factory=dict)
    """Times between consecutive requests of a user, if the tool reports them. They include delays in the tool."""
    received: int = 0
    """Number of deliveries. For WebSockets, number of responses."""


def of_headcount(finished: Finished, folder: Path) -> Report:
    """Reads the record instead of the report, because its histogram has every percentile."""
    level = level_of_headcount(finished, folder)
    [timings] = (level["measured"]["requests"] or level["measured"]["round_trips"]).values()
    lag, error = (decoded(level["generator"][times]) for times in ["start_lag", "receive_error"])
    remarks, doubts = remarks_of_headcount(level)
    iterations = decoded(level["measured"]["iterations"]["time"])
    one_each = level["measured"]["iterations"]["started"] > 0.9 * timings["count"]
    return Report(
        sent=timings["count"] + timings["unfinished"],
        figures=figures_of(decoded(timings["response"])),
        remarks=remarks + counted(timings["failed"], "failed"),
        doubts=doubts,
        start_lag_p99_ms=lag.percentile_ms(99) if lag.count else None,
        service_p99_ms=decoded(timings["service"]).percentile_ms(99),
        turns=figures_of(iterations) if one_each else {},
        bound_ms=sum(times.percentile_ms(99) for times in [lag, error] if times.count),
    )


def of_headcounts_deliveries(finished: Finished, folder: Path) -> Report:
    """Reads the deliveries of the only channel from the record."""
    level = level_of_headcount(finished, folder)
    [deliveries] = level["measured"]["deliveries"].values()
    remarks, doubts = remarks_of_headcount(level)
    for fate in ["late", "duplicated", "reordered"]:
        remarks += counted(deliveries[fate], fate)
    remarks += counted(sum(deliveries["lost"].values()), "lost")
    latency = decoded(deliveries["latency"])
    figures = figures_of(latency) if latency.count else {}
    return Report(deliveries["expected"], figures, remarks, doubts, received=latency.count)


def of_headcount_bench(finished: Finished, _: Path) -> Report:
    """Reads the summary, which has the same form as the summary of a run."""
    must_end_with(finished, [0, 98])
    level = json.loads(finished.stdout)["levels"][0]
    kind = "round_trips" if level["round_trips"]["count"] else "requests"
    timings = level[kind]
    names = {"mean": "mean_ms", "p50": "p50_ms", "p90": "p90_ms", "p95": "p95_ms", "p99": "p99_ms", "p99.9": "p99_9_ms", "max": "max_ms"}
    figures = {name: timings[key] for name, key in names.items() if timings[key] is not None}
    word = [] if level["validity"] == "valid" else [level["validity"]]
    return Report(timings["count"] + timings["unfinished"], figures, word + counted(timings["failed"], "failed"))


def level_of_headcount(finished: Finished, folder: Path) -> dict:
    must_end_with(finished, [0, 98])
    return json.loads((folder / "run" / "run.json").read_text(encoding="utf-8"))["levels"][0]


def remarks_of_headcount(level: dict) -> tuple[list[str], list[str]]:
    """Returns the remarks for the table, with their reasons."""
    issues = level["issues"]
    doubts = [issue.get("text", issue["cause"]) for issue in issues]
    word = "invalid" if is_invalid(level) else "questionable" if issues else None
    return [word] * bool(word) + counted(level["measured"]["iterations"]["dropped"], "dropped"), doubts


def is_invalid(level: dict) -> bool:
    return any(issue["severity"] == "invalid" for issue in level["issues"])


def figures_of(histogram: Histogram) -> dict[str, float]:
    figures = {name: histogram.percentile_ms(percent) for name, percent in PERCENTILES.items()}
    return figures | {"mean": histogram.mean_ms(), "max": histogram.max_ms()}


def of_vegeta(finished: Finished, _: Path) -> Report:
    must_end_with(finished, [0])
    said = json.loads(finished.stdout)
    latencies = said["latencies"]
    names = {"mean": "mean", "p50": "50th", "p90": "90th", "p95": "95th", "p99": "99th", "max": "max"}
    figures = {name: latencies[key] / 1e6 for name, key in names.items()}
    failed = said["requests"] - said["status_codes"].get("200", 0)
    return Report(said["requests"], figures, counted(failed, "failed"))


def of_k6(finished: Finished, folder: Path) -> Report:
    must_end_with(finished, [0])
    metrics = json.loads((folder / "k6.json").read_text(encoding="utf-8"))["metrics"]
    names = {"mean": "avg", "p50": "med", "p90": "p(90)", "p95": "p(95)", "p99": "p(99)", "p99.9": "p(99.9)", "max": "max"}
    duration = metrics["http_req_duration"]
    dropped = metrics.get("dropped_iterations", {}).get("count", 0)
    remarks = counted(int(dropped), "dropped")
    return Report(int(metrics["http_reqs"]["count"]), {name: duration[key] for name, key in names.items()}, remarks)


def of_k6_ws(finished: Finished, folder: Path) -> Report:
    must_end_with(finished, [0])
    metrics = json.loads((folder / "k6.json").read_text(encoding="utf-8"))["metrics"]
    names = {"mean": "avg", "p50": "med", "p99": "p(99)", "max": "max"}
    figures = {name: metrics["took"][key] for name, key in names.items()} if "took" in metrics else {}
    sent, received = (int(metrics.get(name, {}).get("count", 0)) for name in ["sent", "received"])
    return Report(sent, figures, received=received)


def of_ws(finished: Finished, _: Path) -> Report:
    must_end_with(finished, [0])
    said = json.loads(finished.stdout)
    figures = {name: value for name, value in said["figures"].items() if value is not None}
    remarks = counted(said["lost"], "lost") + counted(said["duplicated"], "duplicated")
    return Report(said["sent"], figures, remarks, received=said["received"])


def of_oha(finished: Finished, _: Path) -> Report:
    must_end_with(finished, [0])
    said = json.loads(finished.stdout)
    percentiles = said["latencyPercentiles"]
    figures = {name: percentiles[name] * 1000 for name in PERCENTILES}
    figures |= {"mean": said["summary"]["average"] * 1000, "max": said["summary"]["slowest"] * 1000}
    failed = said["errorDistribution"]
    sent = sum(said["statusCodeDistribution"].values()) + sum(failed.values())
    return Report(sent, figures, [f"{count} {words}" for words, count in failed.items()])


def of_wrk(finished: Finished, _: Path) -> Report:
    must_end_with(finished, [0])
    said = json.loads(finished.stdout.strip().splitlines()[-1])
    return Report(said.pop("requests"), {name: value / 1000 for name, value in said.items()})


def of_locust(finished: Finished, folder: Path) -> Report:
    must_end_with(finished, [0])
    with open(folder / "locust_stats.csv", encoding="utf-8", newline="") as lines:
        [row] = [row for row in csv.DictReader(lines) if row["Name"] == "Aggregated"]
    names = {"mean": "Average Response Time", "p50": "50%", "p90": "90%", "p95": "95%", "p99": "99%", "p99.9": "99.9%"}
    figures = {name: float(row[column]) for name, column in names.items()}
    figures["max"] = float(row["Max Response Time"])
    return Report(int(row["Request Count"]), figures, counted(int(row["Failure Count"]), "failed"))


def of_autocannon(finished: Finished, _: Path) -> Report:
    must_end_with(finished, [0])
    said = json.loads(finished.stdout)
    names = {"mean": "average", "p50": "p50", "p90": "p90", "p99": "p99", "p99.9": "p99_9", "max": "max"}
    figures = {name: float(said["latency"][key]) for name, key in names.items()}
    return Report(said["requests"]["sent"], figures, counted(said["errors"] + said["non2xx"], "failed"))


def of_artillery(finished: Finished, folder: Path) -> Report:
    must_end_with(finished, [0])
    said = json.loads((folder / "said.json").read_text(encoding="utf-8"))["aggregate"]
    times, counters = said["summaries"]["http.response_time"], said["counters"]
    names = {"mean": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p99.9": "p999", "max": "max"}
    figures = {name: float(times[key]) for name, key in names.items()}
    return Report(counters["http.requests"], figures, counted(counters.get("vusers.failed", 0), "failed"))


def of_nobody(finished: Finished, _: Path) -> Report:
    """Returns no figures. Used for tools without readable output."""
    must_end_with(finished, [0])
    return Report(0, {})


def counted(number: int, what: str) -> list[str]:
    """Formats a remark with a number. Empty for 0."""
    return [f"{number:,} {what}"] if number else []


def must_end_with(finished: Finished, codes: list[int]) -> None:
    if finished.code not in codes:
        said = (finished.stderr.strip() or finished.stdout.strip()).splitlines()[-5:]
        raise Failure(f"ended with {finished.code}: " + " / ".join(said))
