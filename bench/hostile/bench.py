"""Ten minutes of hostile clients against one of the services, while honest ones are served and health is asked."""

import http.client
import multiprocessing
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from common.failure import Failure
from common.goals import Goal, at_most, told
from common.place import Place
from common.server import Server
from common.table import table
from hostile.attacks import ATTACKS, repeated
from hostile.systems import NAMES, System, prepared

MINUTES = 10.0
WARM_UP_S = 20
"""Of the same attacks: the allocator keeps what it once had. What is compared is what comes on top of that."""
REST_S = 15
CONNECTIONS = 500
"""That the service may have: fewer than the floods open."""
PROCESSES = 2
"""Of each attack."""
PAUSE_S = 0.1
SETTLES_WITHIN_S = 90
"""After the attack, until connections that were left are given up and memory is given back."""
HEALTH_MS = 50
MEMORY_PERCENT = 10

HEAD = ["system", "minutes", "memory before, MB", "most", "after", "health p50, ms", "p99", "max", "honest requests", "not served"]


def attacked(place: Place, name: str, minutes: float, only: list[str]) -> tuple[str, bool]:
    """The result as Markdown, and whether the service held."""
    if name not in NAMES:
        raise Failure(f"`bench hostile` attacks one of {', '.join(NAMES)}")
    attacks = [attack for attack in ATTACKS if not only or any(word in attack.__name__ for word in only)]
    command = [place.headcount, "serve", name, "--listen", "127.0.0.1:0", "--max-connections", CONNECTIONS, "--threads", 1]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="headcount-bench-"))
        stores = {f"{system}_STORE": f"sqlite:{folder}/store.db" for system in ("EDITOR", "MARKETPLACE")}
        server = stack.enter_context(Server(name, place, [str(word) for word in command], stores))
        system = prepared(name, server.address)
        observed_under(attacks, system, server, WARM_UP_S)
        time.sleep(REST_S)
        before = resident_mb(server)
        seen = observed_under(attacks, system, server, minutes * 60)
        after = settled(server, before)
    return written(name, minutes, before, after, seen)


class Seen:
    def __init__(self) -> None:
        self.health_ms: list[float] = []
        self.most_mb, self.served, self.failures = 0.0, 0, []


def observed_under(attacks: list, system: System, server: Server, seconds: float) -> "Seen":
    """What health and honest clients see while the attacks go on."""
    with ExitStack() as stack:
        for attack in attacks:
            for seed in range(PROCESSES):
                child = multiprocessing.Process(target=repeated, args=(attack, system, seed), daemon=True)
                child.start()
                stack.callback(child.join)
                stack.callback(child.kill)
        return observed(system, server, seconds)


def observed(system: System, server: Server, seconds: float) -> Seen:
    """Asks for health on a new connection each time, and as an honest client, ten times a second."""
    seen, ends = Seen(), time.monotonic() + seconds
    while time.monotonic() < ends:
        server.must_live()
        seen.health_ms.append(health_ms(server))
        try:
            system.serves()
            seen.served += 1
        except Failure as failure:
            seen.failures.append(str(failure))
        seen.most_mb = max(seen.most_mb, resident_mb(server))
        time.sleep(PAUSE_S)
    return seen


def health_ms(server: Server) -> float:
    """Infinite when there is no answer."""
    connection = http.client.HTTPConnection(server.address, timeout=5)
    asked = time.monotonic()
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return float("inf")
    finally:
        connection.close()
    return (time.monotonic() - asked) * 1000 if answer.status == 200 else float("inf")


def settled(server: Server, before: float) -> float:
    """The memory once it is back, or at the end of the time for that."""
    ends = time.monotonic() + SETTLES_WITHIN_S
    while resident_mb(server) > before * (1 + MEMORY_PERCENT / 100) and time.monotonic() < ends:
        time.sleep(1)
    server.must_live()
    return resident_mb(server)


def resident_mb(server: Server) -> float:
    status = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
    lines = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    if not lines:
        server.must_live()
    return int(lines[0].split()[1]) * 1024 / 1e6


def written(name: str, minutes: float, before: float, after: float, seen: Seen) -> tuple[str, bool]:
    health = sorted(seen.health_ms)
    p99 = health[min(len(health) - 1, int(len(health) * 0.99))]
    row = [name, f"{minutes:g}", f"{before:.1f}", f"{seen.most_mb:.1f}", f"{after:.1f}"]
    row += [f"{figure:.1f}" for figure in (statistics.median(health), p99, health[-1])]
    row += [f"{seen.served + len(seen.failures):,}", f"{len(seen.failures):,}"]
    goals: list[Goal] = [
        at_most("memory afterwards, in percent more than before", (after / before - 1) * 100, MEMORY_PERCENT, ".1f"),
        at_most("the slowest health check, ms", health[-1], HEALTH_MS, ".1f"),
        at_most("honest requests that were not served", len(seen.failures), 0, ".0f"),
    ]
    examples = [f"For example: {failure}" for failure in dict.fromkeys(seen.failures[:3])]
    text = "\n\n".join([f"## Hostile clients: {name}", table(HEAD, [row]), *told(goals), *examples])
    return text, all(goal.reached for goal in goals)
