"""How each tool is called. What is special to a bench is handed in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from common import report
from common.place import BENCH
from common.process import Finished
from common.report import Report

SCRIPTS = BENCH / "peers"

HOLD_S = 30
"""How long each setting is run: the scenarios of headcount say the same."""


@dataclass(frozen=True)
class Setting:
    """One row of a table. A command is made of the program, the address and a folder for files."""

    tool: str
    words: str
    command: Callable[[Path, str, Path], list]
    read: Callable[[Finished, Path], Report]
    environment: dict[str, object] = field(default_factory=dict)

    def has(self, words: list[str]) -> bool:
        """Whether one of the words is in its name; no words mean every setting."""
        return not words or any(word in f"{self.tool} {self.words}" for word in words)


def headcount(words: str, scenario: Path, read: Callable[[Finished, Path], Report] = report.of_headcount) -> Setting:
    def command(program: Path, url: str, folder: Path) -> list:
        target = "/".join(url.split("/")[:3])
        return [program, "run", scenario, "--target", target, "--workers", 1, "--out", folder / "run", "--quiet", "--json"]

    return Setting("headcount", words, command, read)


def vegeta(flags: str, words: str = "") -> Setting:
    """It reads the address from its input and writes binary: its own report makes that readable."""
    pipe = f'echo "GET $2" | "$1" attack {flags} -duration={HOLD_S}s | "$1" report -type=json'

    def command(program: Path, url: str, _: Path) -> list:
        return ["sh", "-c", pipe, "sh", program, url]

    return Setting("vegeta", words or flags, command, report.of_vegeta)


def k6(words: str, **environment: object) -> Setting:
    def command(program: Path, _: str, folder: Path) -> list:
        return [program, "run", "--quiet", "--no-usage-report", f"--summary-export={folder / 'k6.json'}", SCRIPTS / "k6.js"]

    return Setting("k6", words, command, report.of_k6, environment | {"SECONDS": HOLD_S})


def oha(flags: str, words: str = "") -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        return [program, "--no-tui", "--output-format", "json", *flags.split(), "-z", f"{HOLD_S}s", url]

    return Setting("oha", words or flags, command, report.of_oha)


def wrk(connections: int) -> Setting:
    def command(program: Path, url: str, _: Path) -> list:
        flags = ["-t1", f"-c{connections}", f"-d{HOLD_S}s", "--timeout", "10s", "-s", SCRIPTS / "wrk.lua"]
        return [program, *flags, url]

    return Setting("wrk", f"-c{connections} (closed)", command, report.of_wrk)


def locust(words: str, users: int, pace: float) -> Setting:
    def command(program: Path, _: str, folder: Path) -> list:
        people = ["-u", users, "-r", users, "-t", f"{HOLD_S}s", "--stop-timeout", 5]
        output = ["--headless", "--only-summary", "--csv", folder / "locust", "--host", "http://127.0.0.1"]
        return [program, "-f", SCRIPTS / "locustfile.py", *people, *output]

    return Setting("Locust", words, command, report.of_locust, {"PACE": pace})
