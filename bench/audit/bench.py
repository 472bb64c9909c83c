"""Audits valid runs of real tools, and counts the false alarms.

The targets are healthy, or are overloaded and show it by their times. Both give valid results. Every finding of the audit
is a false alarm, unless a tool contradicts itself. All findings are listed.
"""

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.machine import described, load
from common.place import BENCH, GENERATOR_CORE, Place
from common.process import complain, finish
from common.server import TruthServer
from common.table import table
from common.tools import Setting
from web.nginx import Nginx

ROUNDS = 5
SECONDS = 3
LIMIT_S = 60
AUDIT_LIMIT_S = 60
SEVERITIES = ["impossible", "unsupported", "doubtful"]
SCRIPTS = BENCH / "peers"

PATHS = {"2 ms": "/delay/2ms", "full: one server of 2 ms": "/queue/1/2ms", "stands still for 0.2 s in 1 s": "/stall/1ms/200ms/1s/500ms"}
"""Paths of the truth server, keyed by their names in the table. nginx is tested as well."""


@dataclass(frozen=True)
class Tool:
    """Returns the command for an address and a folder, and the files that the command creates in the folder."""

    name: str
    words: str
    command: Callable[[Path, str, Path], list]
    files: list[str]
    printed: str = ""
    """Path of the file that receives the tool's output."""


def shell(text: str) -> Callable[[Path, str, Path], list]:
    return lambda program, url, folder: ["sh", "-c", text, "sh", program, url, folder]


def artillery(program: Path, url: str, folder: Path) -> list:
    phases = [{"duration": SECONDS, "arrivalRate": 50}]
    plan = {"config": {"target": url, "phases": phases}, "scenarios": [{"flow": [{"get": {"url": url}}]}]}
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return [program, "run", "--quiet", "--output", folder / "said.json", folder / "plan.json"]


def k6(flag: str) -> Callable[[Path, str, Path], list]:
    return lambda program, _, folder: [program, "run", "--quiet", "--no-usage-report", f"{flag}{folder / 'k6.json'}", SCRIPTS / "k6.js"]


def locust(program: Path, _: str, folder: Path) -> list:
    people = ["-u", 8, "-r", 8, "-t", f"{SECONDS}s", "--stop-timeout", 5]
    return [program, "-f", SCRIPTS / "locustfile.py", *people, "--headless", "--only-summary", "--csv", folder / "run", "--host", "http://127.0.0.1"]


LOCUSTS_FILES = ["run_stats.csv", "run_stats_history.csv", "run_failures.csv", "run_exceptions.csv"]
VEGETA = f'echo "GET $2" | "$1" attack -rate=200 -duration={SECONDS}s | "$1" report'

TOOLS = [
    Tool("k6", "8 users, summary", k6("--summary-export="), ["k6.json"]),
    Tool("k6", "8 users, JSON lines", k6("--out=json="), ["k6.json"]),
    Tool("Locust", "8 users, CSV", locust, LOCUSTS_FILES),
    Tool("oha", "8 connections, JSON", shell(f'"$1" --no-tui --output-format json -c 8 -z {SECONDS}s "$2"'), ["said"], "said"),
    Tool("oha", "8 connections, text", shell(f'"$1" --no-tui -c 8 -z {SECONDS}s "$2"'), ["said"], "said"),
    Tool("wrk", "8 connections, text", shell(f'"$1" -t1 -c8 -d{SECONDS}s --latency "$2"'), ["said"], "said"),
    Tool("wrk2", "8 connections, 200/s, text", shell(f'"$1" -t1 -c8 -d{SECONDS}s -R200 --latency "$2"'), ["said"], "said"),
    Tool("hey", "8 connections, text", shell(f'"$1" -c 8 -z {SECONDS}s "$2"'), ["said"], "said"),
    Tool("hey", "8 connections, CSV", shell(f'"$1" -c 8 -z {SECONDS}s -o csv "$2"'), ["said"], "said"),
    Tool("vegeta", "200/s, JSON", shell(VEGETA + " -type=json"), ["said"], "said"),
    Tool("vegeta", "200/s, text", shell(VEGETA), ["said"], "said"),
    Tool("autocannon", "8 connections, JSON", shell(f'"$1" -c 8 -d {SECONDS} --json --no-progress "$2"'), ["said"], "said"),
    Tool("autocannon", "8 connections, at most 100/s", shell(f'"$1" -c 8 -d {SECONDS} -R 100 --json --no-progress "$2"'), ["said"], "said"),
    Tool("Artillery", "50/s, JSON", artillery, ["said.json"]),
]


def findings(place: Place, tool: Tool, url: str) -> list[dict]:
    """Returns the findings of the audit in one run."""
    program = place.program(tool.name)
    if program is None:
        raise Failure("not installed")
    with tempfile.TemporaryDirectory(prefix="headcount-bench-audit-") as name:
        folder = Path(name)
        environment = {"URL": url, "SECONDS": str(SECONDS), "VUS": "8", "PACE": "0.02", "ARTILLERY_DISABLE_TELEMETRY": "1"}
        finished = finish(place.on_core(GENERATOR_CORE, tool.command(program, url, folder)), LIMIT_S, environment)
        if finished.code not in (0, 1):  # Locust ends with 1 if some requests failed
            raise Failure(f"the tool ended with code {finished.code}: {finished.stderr[-200:]}")
        if tool.printed:
            (folder / tool.printed).write_text(finished.stdout, encoding="utf-8")
        files = [folder / file for file in tool.files if (folder / file).exists()]
        asked = [place.headcount, "audit", "--format", "json", *files]
        audited = subprocess.run(asked, capture_output=True, text=True, timeout=AUDIT_LIMIT_S)
        if audited.returncode not in (0, 99):
            raise Failure(f"the audit cannot read its files: {audited.stderr}")
        return [finding for result in json.loads(audited.stdout) for finding in result["findings"]]


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    before = load()
    tools = [tool for tool in TOOLS if not only or any(word in f"{tool.name} {tool.words}" for word in only)]
    rows, told, alarms = [], Counter(), 0
    for tool in tools:
        found, runs, failure = Counter(), 0, ""
        for path in [*PATHS, "nginx"]:
            for _ in range(rounds):
                complain(f"{tool.name} {tool.words}: {path}")
                try:
                    all_of_run = of_run(place, tool, path)
                except Failure as why:
                    failure = str(why)
                    break
                runs += 1
                found.update({finding["severity"] for finding in all_of_run})
                told.update((tool.name, finding["severity"], finding["rule"], path) for finding in all_of_run)
        alarms += found["impossible"] + found["unsupported"]
        rows.append([tool.name, tool.words, str(runs), *(str(found[severity]) for severity in SEVERITIES), failure or "-"])
    parts = [
        "# Audits of valid runs",
        described(place, [Setting(tool.name, tool.words, tool.command, lambda *_: None) for tool in tools], before),
        f"Each tool ran for {SECONDS} s against nginx and the truth server: " + ", ".join(PATHS) + ". Runs with findings:",
        table(["tool", "what it was", "runs", *SEVERITIES, "no result"], rows),
    ]
    if told:
        each = [[tool, severity, f"`{rule}`", path, str(times)] for (tool, severity, rule, path), times in sorted(told.items())]
        parts.append("Findings:\n\n" + table(["tool", "severity", "rule", "target", "times"], each))
    return "\n\n".join(parts), alarms == 0


def of_run(place: Place, tool: Tool, path: str) -> list[dict]:
    if path == "nginx":
        with Nginx(place) as server:
            return findings(place, tool, server.url + "/")
    with TruthServer(place) as server:
        return findings(place, tool, server.url + PATHS[path])
