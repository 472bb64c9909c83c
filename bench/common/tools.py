"""Builds the command line of each tool. Each bench passes its own parameters."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from common import report
from common.failure import Failure
from common.place import BENCH
from common.process import Finished
from common.report import Report

SCRIPTS = BENCH / "peers"

HOLD_S = 30
"""Default duration of a setting, in seconds. headcount's scenarios have the same duration."""


@dataclass(frozen=True)
class Setting:
    """One row of a table. The command is built from the program, the address and a folder for files."""

    tool: str
    words: str
    command: Callable[[Path, str, Path], list]
    read: Callable[[Finished, Path], Report]
    environment: dict[str, object] = field(default_factory=dict)

    def has(self, words: list[str]) -> bool:
        """Whether the name contains one of the words. Without words, every name matches."""
        return not words or any(word in f"{self.tool} {self.words}" for word in words)


Read = Callable[[Finished, Path], Report]


def headcount(
    words: str, scenario: Path, read: Read = report.of_headcount, more: str = "", instead: tuple[str, str] = ("", "")
) -> Setting:
    """Builds a run of a scenario. `instead` is a part of the scenario's text, and its replacement."""

    def command(program: Path, url: str, folder: Path) -> list:
        target = "/".join(url.split("/")[:3])
        script = scenario
        if all(instead):
            script = folder / scenario.name
            script.write_text(scenario.read_text(encoding="utf-8").replace(*instead), encoding="utf-8")
        return [
            program, "run", script, "--target", target, "--workers", 1, "--out", folder / "run", "--quiet", "--json",
            *more.split(),
        ]

    return Setting("headcount", words, command, read)


def headcount_bench(flags: str, scheme: str = "http://") -> Setting:
    """Builds a `headcount bench` command with one address and no script."""

    def command(program: Path, url: str, _: Path) -> list:
        if subprocess.run([program, "bench", "--help"], capture_output=True, timeout=60).returncode:
            raise Failure("skipped: this headcount has no `bench` command")
        return [program, "bench", url.replace("http://", scheme), *flags.split(), "--json"]

    return Setting("headcount", f"`bench {flags}`", command, report.of_headcount_bench)


def vegeta(flags: str, words: str = "", seconds: float = HOLD_S) -> Setting:
    """Builds a vegeta command. vegeta reads the address from its input, and `vegeta report` converts its binary output."""
    pipe = f'echo "GET $2" | "$1" attack {flags} -duration={seconds}s | "$1" report -type=json'

    def command(program: Path, url: str, _: Path) -> list:
        return ["sh", "-c", pipe, "sh", program, url]

    return Setting("vegeta", words or flags, command, report.of_vegeta)


def k6(words: str, script: str = "k6.js", read: Read = report.of_k6, **environment: object) -> Setting:
    def command(program: Path, _: str, folder: Path) -> list:
        return [program, "run", "--quiet", "--no-usage-report", f"--summary-export={folder / 'k6.json'}", SCRIPTS / script]

    return Setting("k6", words, command, read, {"SECONDS": HOLD_S} | environment)


def oha(flags: str, words: str = "", seconds: float = HOLD_S) -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        return [program, "--no-tui", "--output-format", "json", *flags.split(), "-z", f"{seconds}s", url]

    return Setting("oha", words or flags, command, report.of_oha)


def wrk(connections: int, seconds: float = HOLD_S) -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        flags = ["-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", SCRIPTS / "wrk.lua"]
        return [program, *flags, url]

    return Setting("wrk", f"-c{connections} (closed)", command, report.of_wrk)


def locust(words: str, users: int, pace: float, seconds: float = HOLD_S, script: str = "locustfile.py") -> Setting:
    def command(program: Path, _: str, folder: Path) -> list:
        people = ["-u", users, "-r", users, "-t", f"{seconds}s", "--stop-timeout", 5]
        output = ["--headless", "--only-summary", "--csv", folder / "locust", "--host", "http://127.0.0.1"]
        return [program, "-f", SCRIPTS / script, *people, *output]

    return Setting("Locust", words, command, report.of_locust, {"PACE": pace})


def goose(users: int, seconds: float) -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        flags = ["-u", users, "-r", users, "-t", f"{seconds}s", "--no-reset-metrics", "--no-telnet", "--no-websocket"]
        return [program, "-H", url, *flags]

    return Setting("Goose", people(users), command, report.of_nobody)


def autocannon(connections: int, seconds: float) -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        return [program, "-c", connections, "-d", seconds, "--json", "--no-progress", url]

    return Setting("autocannon", f"-c {connections}", command, report.of_autocannon)


def ws(words: str, **environment: object) -> Setting:
    """Builds a Node command with the library ws. The path of the library replaces that of the program."""

    def command(*_: object) -> list:
        return ["node", SCRIPTS / "ws.js"]

    return Setting("ws", words, command, report.of_ws, environment)


def artillery(users: int, seconds: float) -> Setting:
    """Builds a load in which all users start within the first second and continue until the time has passed."""

    def command(program: Path, url: str, folder: Path) -> list:
        loop = {"loop": [{"get": {"url": url}}], "whileTrue": "goesOn"}
        phases = [{"duration": 1, "arrivalCount": users}]
        config = {"target": url, "phases": phases, "processor": str(SCRIPTS / "artillery.js")}
        plan = folder / "artillery.json"
        plan.write_text(json.dumps({"config": config, "scenarios": [{"flow": [loop]}]}), encoding="utf-8")
        return [program, "run", "--quiet", "--output", folder / "said.json", plan]

    environment = {"SECONDS": seconds, "ARTILLERY_DISABLE_TELEMETRY": 1}
    return Setting("Artillery", people(users), command, report.of_artillery, environment)


def people(users: int) -> str:
    return "1 user" if users == 1 else f"{users:,} users"
