"""Compares the clocks of four agents, and the latencies between them, with the truth. Needs root.

Each agent runs in a network namespace, and a relay gives each direction of each link its own delay. The clock of an agent
counts from its start, so its true offset is the time between the starts of agent and coordinator, by the wall clock that all
namespaces share. Each agent also runs in a time namespace, whose shift of the machine's monotonic clock must not matter.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from common import machine
from common.failure import Failure
from common.goals import at_most, told
from common.place import ROOT, Place
from common.process import complain, finish
from common.table import table

sys.path.append(str(ROOT / "e2e/links"))
from namespaces import address, namespaces  # noqa: E402
from trials import random_link, relay  # noqa: E402

ROUNDS = 50
AGENTS = 4
HUB = AGENTS + 1
"""The namespace of NATS, the coordinator and the target."""
SHIFTS_S = (-90, 10_800)
NATS = f"nats://{address(HUB)}:4222"
TARGET = f"http://{address(HUB)}:8080"
SCENARIO = Path(__file__).with_name("room.ts")
STARTS_WITHIN_S = 10
LIMIT_S = 60
RELAY_MS = 2.0
"""What the relay, the target and the kernel add to a latency, at most."""


@dataclass
class Errors:
    """Measured values of one kind, beside their truth."""

    words: str
    errors_ms: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    """The errors as shares of what is allowed."""

    def add(self, error_ms: float, allowed_ms: float) -> None:
        self.errors_ms.append(abs(error_ms))
        self.shares.append(abs(error_ms) / allowed_ms)

    def outside(self) -> int:
        return sum(share > 1 for share in self.shares)

    def row(self) -> list[str]:
        within = len(self.shares) - self.outside()
        return [self.words, f"{within} of {len(self.shares)}", f"{max(self.errors_ms):.2f} ms", f"{100 * max(self.shares):.0f} %"]


def measured(place: Place, _: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all values were within their bounds."""
    if os.geteuid() != 0:
        raise Failure("network namespaces need root")
    random.seed(7)
    load_before = machine.load()
    offsets, latencies = Errors("clock offsets"), Errors("least latencies of a sender's messages")
    bounds_ms = []
    with namespaces(HUB) as names, relay(names) as configure:
        subprocess.run(["ip", "-n", names[-1], "link", "set", "lo", "up"], check=True)
        for number in range(1, rounds + 1):
            links = random_links()
            configure(links)
            record = run(place, names)
            bounds_ms += compare_offsets(record, offsets)
            compare_latencies(record, links, latencies)
            complain(f"    {number}: {offsets.row()}, {latencies.row()}")
    goals = [at_most(f"{kind.words} beyond their bounds", float(kind.outside()), 0, ".0f") for kind in (offsets, latencies)]
    text = "\n\n".join([
        "# Clocks of a fleet",
        f"{rounds} runs on four agents, on machines whose clocks differ by −90 s to 3 h. Each direction of each link has a mean delay "
        f"of its own from 0.2 to 32 ms. The stated errors of the offsets are {min(bounds_ms):.2f} to {max(bounds_ms):.2f} ms. For a "
        f"latency, the errors of both clocks and {RELAY_MS:.0f} ms for the relay and the target are allowed.",
        machine.described(place, [], load_before),
        table(["value", "within its bound", "largest error", "largest share of a bound"], [offsets.row(), latencies.row()]),
        *told(goals),
    ])
    return text, all(goal.reached for goal in goals)


def random_links() -> dict:
    """The properties of all directions, without loss: TCP would repeat what is lost, which delays it by an unknown time."""
    links = {}
    for number in range(1, HUB):
        there, back = random_link()
        links[f"{HUB}-{number}"], links[f"{number}-{HUB}"] = there | {"loss": 0}, back | {"loss": 0}
    return links


def run(place: Place, names: list[str]) -> dict:
    """Runs the scenario once, on new agents. Returns the record."""
    hub = ["ip", "netns", "exec", names[-1]]
    headcount = str(place.headcount)
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as folder, contextlib.ExitStack() as processes:
        server = ["nats-server", "--jetstream", "--store_dir", folder, "--addr", address(HUB), "--port", "4222"]
        processes.enter_context(running([*hub, *server], "Server is ready"))
        processes.enter_context(running([*hub, headcount, "serve", "truth", "--listen", TARGET.removeprefix("http://")], "listening"))
        for number, name in enumerate(names[:AGENTS], 1):
            shifted = ["unshare", "--time", "--fork", "--kill-child", "--monotonic", str(random.randint(*SHIFTS_S))]
            agent = [headcount, "agent", "--nats", NATS, "--name", f"a-{number}"]
            processes.enter_context(running(["ip", "netns", "exec", name, *shifted, *agent], "waits for runs"))
        out = Path(folder) / "out"
        options = ["--target", TARGET, "--fleet", NATS, "--agents", str(AGENTS), "--workers", "1", "--quiet", "--out", out]
        finished = finish([*hub, headcount, "run", SCENARIO, *options], LIMIT_S, {})
        try:
            return json.loads((out / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as why:
            raise Failure(f"no record: exit code {finished.code}: {finished.stderr.strip()}") from why


@contextlib.contextmanager
def running(command: list[str], ready: str) -> Iterator[None]:
    """Starts a process, waits for a word in its output, and ends it with its children."""
    with tempfile.NamedTemporaryFile(prefix="headcount-bench-") as output, subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output.fileno(), stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            wait_for(process, Path(output.name), ready)
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def wait_for(process: subprocess.Popen, output: Path, ready: str) -> None:
    end = time.monotonic() + STARTS_WITHIN_S
    while ready not in output.read_text(encoding="utf-8"):
        if process.poll() is not None or time.monotonic() > end:
            raise Failure(f"`{' '.join(process.args)}` is not ready: {output.read_text(encoding='utf-8').strip()}")
        time.sleep(0.02)


def compare_offsets(record: dict, errors: Errors) -> list[float]:
    """Compares the offset of each agent. Returns the stated errors in milliseconds."""
    clocks = [agent["clock"] for agent in record["agents"]]
    for clock in clocks:
        true_ms = milliseconds(record["started_at"]) - milliseconds(clock["started_at"])
        errors.add(clock["offset_ms"] - true_ms, clock["error_ms"])
    return [clock["error_ms"] for clock in clocks]


def milliseconds(date: str) -> float:
    """The time since an arbitrary day."""
    day, fraction = date.removesuffix("Z").split(".")
    return datetime.fromisoformat(day).timestamp() * 1000 % 1e9 + float(f"0.{fraction}") * 1000


def compare_latencies(record: dict, links: dict, errors: Errors) -> None:
    """Compares the least latency from each sender to its four listeners. The relay's jitter only adds to it."""
    deliveries = record["levels"][0]["measured"]["deliveries"]
    for sender in range(1, HUB):
        channel = deliveries[f"from {sender - 1}"]
        least_s = min(links[f"{sender}-{HUB}"]["delay"] + links[f"{HUB}-{listener}"]["delay"] for listener in range(1, HUB))
        errors.add(channel["latency"]["min_ns"] / 1e6 - least_s * 1000, channel["clock_error_ms"] + RELAY_MS)
