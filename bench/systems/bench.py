"""Finds the ceilings of the built-in systems, and holds the named causes against `top`, `perf`, `strace` and their metrics.

A system that does more on its core than the generator on another can ask for is searched twice: on a core, for the least that
it holds, and with a CPU quota, for a ceiling.
"""

import re
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.place import ROOT, Place
from common.server import Server

from foreign.bench import compared
from foreign.servers import Foreign, Running, fast

SCENARIOS = ROOT / "crates/study/scenarios"
MARKETPLACE = (
    "--hash", "bcrypt", "--bcrypt-cost", "4", "--admin-email", "admin@market.test", "--admin-password", "correct horse",
    "--rate-limit-bypass-ips", "127.0.0.0/8",
)
"""As in the study: passwords that are cheap to hash, and no rate limiter."""
SECONDS = 2
COUNTERS = 2
"""Number of the system's own counters that are shown: those that grow fastest."""
COUNTER = re.compile(r"^(\w+_total)(?:\{[^}]*\})? ([\d.]+)$", re.MULTILINE)


def measured(place: Place, only: list[str]) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    return compared(place, all_systems(), only, "Ceilings of the built-in systems")


def all_systems() -> list[Foreign]:
    """The systems with the scenarios of their studies, and the causes that other tools have shown on two cores."""
    return [
        *fast(system("bridge", "bridge-rooms.ts", search="users", first=100)),
        *fast(system("editor", "editor-rooms.ts", environment={"CONVERGES": "no"}, search="groups", first=100)),
        system("marketplace", "marketplace-rate.ts", cause="single_writer", flags=MARKETPLACE, users=512),
        system("registry", "registry-mix.ts", cause="saturated_thread", environment={"RECEIVERS": "100"}, first=50),
        *fast(system("transcription", "transcription-live.ts", flags=("--max-sessions", "10000"), first=200)),
    ]


def system(
    name: str, scenario: str, *, cause: str = "generator", flags: tuple[str, ...] = (), environment: dict[str, str] | None = None,
    search: str | None = None, first: int | None = None, users: int | None = None,
) -> Foreign:
    stores = name in ("editor", "marketplace", "registry")
    return Foreign(
        name, str(SCENARIOS / scenario), cause, lambda place: running(place, name, flags, stores), environment or {}, first, search,
        users=users,
    )


@contextmanager
def running(place: Place, name: str, flags: tuple[str, ...], stores: bool) -> Iterator[Running]:
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as folder:
        store = ["--store", f"sqlite:{Path(folder) / 'data.db'}"] if stores else []
        command = [place.headcount, "serve", name, "--listen", "127.0.0.1:0", *store, *flags]
        with Server(name, place, command) as server:
            yield Running(server.url, server.pid, lambda: grown(server.url))


def grown(url: str) -> str:
    """How fast the system's own counters grow."""
    before, begun = counters(url), time.monotonic()
    time.sleep(SECONDS)
    after, seconds = counters(url), time.monotonic() - begun
    rates = {name: (count - before.get(name, 0)) / seconds for name, count in after.items()}
    fastest = sorted(rates.items(), key=lambda rate: -rate[1])[:COUNTERS]
    return ", ".join(f"`{name}` {rate:,.0f}/s" for name, rate in fastest)


def counters(url: str) -> dict[str, float]:
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        found = COUNTER.findall(answer.read().decode())
    sums: dict[str, float] = {}
    for name, count in found:
        sums[name] = sums.get(name, 0) + float(count)
    return sums
