"""Connects 50,000 users at the same time, in as many processes as the limit of open files requires."""

import os
import resource
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.place import GENERATOR_CORE, Place
from common.process import Finished, end_group
from common.server import TruthServer
from common.tree import usage
from idle.settings import CROWD, crowd

LIMIT_S = 150
SPARE = 500
"""Number of files that a process opens for its own use."""


@dataclass(frozen=True)
class Outcome:
    connected: int
    resident_kb: float
    cpu_s: float
    heard: int
    remarks: list[str]


def descriptors() -> int:
    """Returns the number of files that a process may open. The servers and the tool raise their own limits to the maximum."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def crowded(place: Place) -> Outcome:
    """Connects all users and sends one message to each of them."""
    parts = -(-CROWD // (descriptors() - SPARE))
    setting = crowd(parts)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headcount-bench-")))
        servers = [stack.enter_context(TruthServer(place)) for _ in range(parts)]
        children = []
        for number, server in enumerate(servers):
            own = folder / str(number)
            own.mkdir()
            command = place.on_core(GENERATOR_CORE, setting.command(place.headcount, server.url, own))
            said = stack.enter_context(open(own / "said", "w", encoding="utf-8"))
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
            )
            stack.callback(end_group, child)
            children.append(child)
        connected, resident_kb, cpu_s = watched_to_the_end(children, servers)
        reports = []
        for number, child in enumerate(children):
            own = folder / str(number)
            finished = Finished(child.returncode, "", (own / "said").read_text(encoding="utf-8"), 0.0, 0.0)
            reports.append(setting.read(finished, own))
    heard = sum(report.received for report in reports) + parts  # each part has a sender, who need not receive its message
    several = [f"in {parts} processes, of {descriptors():,} files each"] if 1 < parts else []
    return Outcome(connected, resident_kb, cpu_s, heard, several + [word for report in reports for word in report.remarks])


def watched_to_the_end(children: list[subprocess.Popen], servers: list[TruthServer]) -> tuple[int, float, float]:
    """Returns the maximum number of concurrent connections, the memory at that time, and the CPU time of all processes."""
    give_up = time.monotonic() + LIMIT_S
    connected, resident_kb = 0, 0.0
    cpu_s = dict.fromkeys([child.pid for child in children], 0.0)
    while any(child.poll() is None for child in children):
        if give_up < time.monotonic():
            raise Failure(f"the crowd did not finish within {LIMIT_S} s")
        now = sum(server.did()["connections"]["open"] - 1 for server in servers)
        used = {child.pid: usage(child.pid) for child in children if os.path.exists(f"/proc/{child.pid}")}
        cpu_s |= {pid: one.cpu_s for pid, one in used.items() if one.resident_kb}
        if connected <= now:
            connected, resident_kb = now, max(resident_kb, float(sum(one.resident_kb for one in used.values())))
        time.sleep(0.2)
    return connected, resident_kb * 1024 / 1000, sum(cpu_s.values())
