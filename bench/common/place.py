"""The repository, headcount, the other tools, and the two cores."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.process import complain, pinned

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
PEERS = Path(os.environ.get("HEADCOUNT_PEERS", BENCH / ".peers")) / "bin"

SERVER_CORE = 0
GENERATOR_CORE = 1

HOW_A_VERSION_IS_ASKED = {"k6": "version", "wrk": "-v", "wrk2": "-v", "nginx": "-v"}
"""Options that print a tool's version. All other tools use `--version`."""
FROM_GO = {"vegeta", "hey", "nats"}
VERSION = re.compile(r"v?\d+\.\d+(\.\d+)?[^\s\",]*")


@dataclass(frozen=True)
class Place:
    """The programs, cores and priorities that a bench uses."""

    headcount: Path
    goes_first: bool
    """Whether the server and the tools run with real-time priority."""

    @staticmethod
    def prepared(headcount: Path | None, goes_first: bool) -> "Place":
        """Builds headcount, unless a program is given."""
        if not {SERVER_CORE, GENERATOR_CORE} <= os.sched_getaffinity(0):
            raise Failure("cores 0 and 1 are needed: one for the server, one for the generator")
        if shutil.which("taskset") is None or shutil.which("chrt") is None:
            raise Failure("taskset and chrt are needed (package util-linux)")
        if goes_first and subprocess.run(["chrt", "--rr", "1", "true"], capture_output=True, timeout=60).returncode:
            raise Failure("--first needs permission for real-time priority: run it as root")
        found = (headcount or built()).resolve()
        if not found.is_file():
            raise Failure(f"headcount was not found at {found}")
        return Place(found, goes_first)

    def on_core(self, core: int, command: list) -> list[str]:
        """Returns the command, pinned to one core and with the requested priority."""
        return pinned(core, command, self.goes_first)

    def program(self, tool: str) -> Path | None:
        """Returns the program of a tool. `None` if the tool is not installed."""
        found = self.headcount if tool == "headcount" else PEERS / tool.lower()
        return found if found.exists() else None

    def version(self, tool: str) -> str:
        """Returns the version that the tool prints."""
        program = self.program(tool)
        if program is None:
            return "not installed"
        command = [program, HOW_A_VERSION_IS_ASKED.get(tool, "--version")]
        if tool in FROM_GO:  # a Go program built from its module does not print its version, but the Go tool chain knows it
            command = ["go", "version", "-m", program]
        if tool == "ws":  # a library
            command = ["grep", '"version"', program / "ws" / "package.json"]
        try:
            asked = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.SubprocessError):
            return "of unknown version"
        said = asked.stdout + asked.stderr
        if tool in FROM_GO:
            said = "".join(line for line in said.splitlines() if line.split()[:1] == ["mod"]).replace("/v12", "")
        found = VERSION.search(said)
        return found.group() if found else "of unknown version"


def built() -> Path:
    """Builds headcount with all optimisations. A debug build would be slower."""
    complain("building headcount (cargo build --release) unless it is up to date")
    try:
        subprocess.run(["cargo", "build", "--release", "--locked", "-q", "-p", "headcount"], cwd=ROOT, check=True, timeout=3600)
    except (OSError, subprocess.SubprocessError) as error:
        raise Failure(f"headcount could not be built: {error}") from error
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "headcount"
