"""Attacks a service for ten minutes, while honest clients use it and its health is checked."""

import http.client
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from common.failure import Failure
from common.goals import Goal, at_most, told
from common.machine import described, load
from common.place import GENERATOR_CORE, Place
from common.server import Server
from common.table import table
from hostile.attacks import ATTACKS, crowd, repeated
from hostile.systems import NAMES, NAMESPACES, System, prepared

MINUTES = 10.0
"""Total duration of the two identical attacks, in minutes. They run one after the other."""
CROWD_S = 5
REST_S = 40
"""Pause in seconds. In it, empty rooms are removed, incomplete requests time out, and memory is released."""
IDLE_S = 5
CONNECTIONS = 500
"""Limit of the service's connections. The floods open more connections than this."""
PROCESSES = 2
"""Number of processes of each attack."""
PAUSE_S = 0.1
ALLOCATOR = {"MIMALLOC_PURGE_DELAY": "0"}
"""The allocator returns freed memory at once. By default it does so after a second, but only when the same thread allocates
again: memory at rest would be that of the last second of the attack."""
HEALTH_MS = 50
MEMORY_PERCENT = 10

HEAD = [
    "system", "minutes", "memory at the start, MB", "before", "most", "after the first half", "after both",
    "health p50, ms", "p99", "max", "honest requests", "not served",
]


@dataclass
class Memory:
    """Resident memory in MB while nothing happens."""

    start: float
    before: float
    """Memory after honest clients have used all connections once. An allocator keeps freed memory for reuse."""
    halves: list[float] = field(default_factory=list)
    """Memory after each of two identical attacks. A leak grows with each attack; a pool does not."""


def attacked(place: Place, name: str, minutes: float, only: list[str]) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether the service withstood the attack."""
    if name not in NAMES:
        raise Failure(f"`bench hostile` needs one of these services: {', '.join(NAMES)}")
    attacks = [attack for attack in ATTACKS if not only or any(word in attack.__name__ for word in only)]
    command = [place.headcount, "serve", name, "--listen", "127.0.0.1:0", "--max-connections", CONNECTIONS, "--threads", 1]
    load_before, seen = load(), Seen()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="headcount-bench-"))
        environment = ALLOCATOR | {f"{system}_STORE": f"sqlite:{folder}/store.db" for system in ("EDITOR", "MARKETPLACE", "REGISTRY")}
        if name == "registry":
            namespaces = Path(folder, "namespaces.json")
            namespaces.write_text(json.dumps(NAMESPACES), encoding="utf-8")
            command += ["--namespaces", namespaces]
        # The kernel lets each thread with real-time priority run for 100 ms before the next one on the same core. A
        # thread of the service that works in the background would block the one that responds for as long.
        ordinary = replace(place, goes_first=False)
        server = stack.enter_context(Server(name, ordinary, [str(word) for word in command], environment))
        system = prepared(name, server.address)
        # The honest client connects before the attackers, so that the observer need not wait for it.
        system.serves()
        os.sched_setaffinity(0, {GENERATOR_CORE})
        if place.goes_first:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        start = resident_mb(server)
        crowd(system, CONNECTIONS // 2, CROWD_S)
        memory = Memory(start, before=at_rest(system, server))
        for _ in range(2):
            observed_under(attacks, system, server, minutes * 30, seen)
            system.forgets()
            memory.halves.append(at_rest(system, server))
    observer = " The health checks ran with real-time priority." if place.goes_first else ""
    return written(name, minutes, memory, seen, described(ordinary, [], load_before) + observer)


@dataclass(frozen=True)
class Spent:
    """CPU time of the service's threads, in ms. If the responding thread waits much longer than the others run, something
    else used the core. The host of a virtual machine takes time from its cores without telling the threads."""

    responding_ms: float
    waiting_ms: float
    others_ms: float
    stolen_ms: float

    @staticmethod
    def so_far(server: Server) -> "Spent":
        """Reads the scheduler's account. The first thread responds, because the service has one thread for requests."""
        accounts = {}
        for thread in Path(f"/proc/{server.pid}/task").iterdir():
            with suppress(OSError):  # the thread has ended
                ran, waited, _ = (thread / "schedstat").read_text(encoding="ascii").split()
                accounts[int(thread.name)] = int(ran) / 1e6, int(waited) / 1e6
        responding, waiting = accounts.pop(server.pid, (0.0, 0.0))
        return Spent(responding, waiting, sum(ran for ran, _ in accounts.values()), stolen_ms())

    def since(self, before: "Spent") -> "Spent":
        return Spent(
            self.responding_ms - before.responding_ms, self.waiting_ms - before.waiting_ms, self.others_ms - before.others_ms,
            self.stolen_ms - before.stolen_ms,
        )


def stolen_ms() -> float:
    """Returns the time that the host has taken from the cores so far, in ms, to about 10 ms."""
    cores = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
    return int(cores[8]) * 1000 / os.sysconf("SC_CLK_TCK")


class Seen:
    def __init__(self) -> None:
        self.health_ms: list[float] = []
        self.slowest = ""
        self.most_mb, self.served, self.failures = 0.0, 0, []

    def checked(self, took_ms: float, spent: Spent) -> None:
        if took_ms > max(self.health_ms, default=0):
            self.slowest = (
                f"During the slowest check, the thread that responds ran for {spent.responding_ms:.1f} ms and waited for the "
                f"core for {spent.waiting_ms:.1f} ms. The other threads of the service ran for {spent.others_ms:.1f} ms. The host "
                f"took {spent.stolen_ms:.0f} ms from the cores."
            )
        self.health_ms.append(took_ms)


def observed_under(attacks: list, system: System, server: Server, seconds: float, seen: "Seen") -> None:
    """Records health checks and honest clients during the attacks."""
    with ExitStack() as stack:
        for attack in attacks:
            for seed in range(PROCESSES):
                child = multiprocessing.Process(target=repeated, args=(attack, system, seed), daemon=True)
                child.start()
                stack.callback(child.join)
                stack.callback(child.kill)
        observed(system, server, seconds, seen)


def observed(system: System, server: Server, seconds: float, seen: Seen) -> None:
    """Checks the service's health on a new connection, and an honest client, ten times a second."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        server.must_live()
        before = Spent.so_far(server)
        took_ms = health_ms(server)
        seen.checked(took_ms, Spent.so_far(server).since(before))
        try:
            system.serves()
            seen.served += 1
        except Failure as failure:
            seen.failures.append(str(failure))
        seen.most_mb = max(seen.most_mb, resident_mb(server))
        time.sleep(PAUSE_S)


def health_ms(server: Server) -> float:
    """Returns the time of a health check in ms. Infinite if there is no response."""
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


def at_rest(system: System, server: Server) -> float:
    """Returns the memory after a pause. The honest client sends occasionally, because idle connections are closed after 30
    s."""
    ends = time.monotonic() + REST_S
    while time.monotonic() < ends:
        with suppress(Failure):
            system.serves()
        time.sleep(min(IDLE_S, max(0, ends - time.monotonic())))
    server.must_live()
    return resident_mb(server)


def resident_mb(server: Server) -> float:
    status = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
    lines = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    if not lines:
        server.must_live()
    return int(lines[0].split()[1]) * 1024 / 1e6


def written(name: str, minutes: float, memory: Memory, seen: Seen, machine: str) -> tuple[str, bool]:
    health = sorted(seen.health_ms)
    p99 = health[min(len(health) - 1, int(len(health) * 0.99))]
    megabytes = [memory.start, memory.before, seen.most_mb, *memory.halves]
    row = [name, f"{minutes:g}", *[f"{figure:.1f}" for figure in megabytes]]
    row += [f"{figure:.1f}" for figure in (statistics.median(health), p99, health[-1])]
    row += [f"{seen.served + len(seen.failures):,}", f"{len(seen.failures):,}"]
    first, second = memory.halves
    goals: list[Goal] = [
        at_most("memory growth over both attacks, in percent", (second / memory.before - 1) * 100, MEMORY_PERCENT, ".1f"),
        at_most("memory growth over the second attack, in percent", (second / first - 1) * 100, MEMORY_PERCENT, ".1f"),
        at_most("the slowest health check, ms", health[-1], HEALTH_MS, ".1f"),
        at_most("honest requests that were not served", len(seen.failures), 0, ".0f"),
    ]
    examples = [f"Example: {failure}" for failure in dict.fromkeys(seen.failures[:3])]
    text = "\n\n".join([f"# Hostile clients: {name}", machine, table(HEAD, [row]), *told(goals), seen.slowest, *examples])
    return text, all(goal.reached for goal in goals)
