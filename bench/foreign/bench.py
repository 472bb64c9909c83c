"""Finds the ceilings of servers that others wrote, and holds the named causes against `top`, `perf` and `strace`."""

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from common import machine
from common.failure import Failure
from common.goals import at_least, told
from common.place import GENERATOR_CORE, Place
from common.process import complain, end_group, finish
from common.table import table

from foreign.independent import Seen, seen
from foreign.servers import HERE, Foreign, Running, all_servers

SPARE_S = 60
"""Time that a search may take beyond its budget."""
LOAD_S = 20
OTHER_SEED = 4711
"""Not that of the search, whose users exist by then."""
WARM_UP_S = 4


@dataclass(frozen=True)
class Found:
    """The result of a search."""

    ceiling: str
    load: float
    """A load at which the limit shows: the lowest that failed, or the highest that held."""
    quantity: str
    causes: list[str]
    by_generator: bool
    """Whether the generator ended the search. Then the server has no cause."""
    sentence: str


def measured(place: Place, only: list[str]) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    return compared(place, all_servers(), only, "Ceilings of servers that others wrote")


def compared(place: Place, servers: list[Foreign], only: list[str], title: str) -> tuple[str, bool]:
    """Searches the ceilings of these servers, and lets other tools observe them."""
    chosen = [server for server in servers if not only or any(word in server.words for word in only)]
    if not chosen:
        raise Failure(f"no server's name contains {' or '.join(only)}")
    load_before, rows, right = machine.load(), [], 0
    for foreign in chosen:
        with foreign.start(place) as running:
            found = search(foreign, running, place)
            used, own = under_load(foreign, running, found, place)
        named = found.causes[0] if found.causes else "none"
        named = "generator" if found.by_generator else named
        right += named == foreign.cause
        cores = "–" if used.cores is None else f"{used.cores:.2f}"
        rows.append([foreign.words, found.ceiling, named, foreign.cause, used.thread, cores, used.calls, own or "–"])
        complain(f"    {rows[-1]}\n    {found.sentence}")
    budgets = sorted({str(server.budget_s) for server in chosen})
    head = ["server", "stable ceiling", "cause", "expected", "busiest thread (top)", "cores (perf)", "system calls (strace)", "own figures"]
    text = "\n\n".join([
        f"# {title}",
        f"`headcount find` with {' or '.join(budgets)} s each; then the lowest load that failed for {LOAD_S} s, observed by other tools.",
        machine.described(place, [], load_before),
        table(head, rows),
        *told([at_least("causes as expected, in percent", 100 * right / len(chosen), 100, ".0f")]),
    ])
    return text, right == len(chosen)


def options(foreign: Foreign, running: Running, folder: str, name: str) -> list:
    environment = [word for pair in foreign.environment.items() for word in ("--env", "=".join(pair))]
    return [
        HERE / foreign.scenario, "--target", running.url, *environment, "--workers", "1", "--cores", GENERATOR_CORE,
        "--json", "--quiet", "--out", Path(folder) / name,
    ]


def search(foreign: Foreign, running: Running, place: Place) -> Found:
    """Runs one search."""
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as folder:
        command = [place.headcount, "find", *options(foreign, running, folder, "found"), "--budget", f"{foreign.budget_s}s"]
        command += ["--first", str(foreign.first)] if foreign.first else []
        command += ["--search", foreign.search] if foreign.search else []
        finished = finish(place.on_core(GENERATOR_CORE, command), foreign.budget_s + SPARE_S, {})
    try:
        saved = json.loads(finished.stdout)
        answer = saved["answer"]
    except (ValueError, LookupError) as why:
        raise Failure(f"{foreign.words}: no result: exit code {finished.code}: {finished.stderr.strip()}") from why
    unit = "/s" if saved["quantity"] == "rate" else f" {saved['quantity']}"
    load = answer["fails"] or answer["holds"] or saved["settings"]["first"]
    causes = [finding["cause"] for finding in saved["findings"]]
    sentence = json.dumps(saved["findings"][:1])
    return Found(words(answer, unit), load, saved["quantity"], causes, answer["generator"] is not None, sentence)


def words(answer: dict, unit: str) -> str:
    if stable := answer["stable"]:
        interval = stable["interval"]
        return f"{stable['load']:g}{unit} ({interval['low']:.0f} to {interval['high']:.0f})"
    if answer["at_least"]:
        return f"at least {answer['at_least']:g}{unit}"
    ended = answer["ended"].replace("_", " ")
    if answer["fails"] is None:
        return f"at least {answer['holds'] or 0:g}{unit} ({ended})"
    return f"between {answer['holds'] or 0:g} and {answer['fails']:g}{unit} ({ended})"


def under_load(foreign: Foreign, running: Running, found: Found, place: Place) -> tuple[Seen, str]:
    """Lets headcount make the load, and observes the server with other tools."""
    amount = f"{found.load:g}/s" if found.quantity == "rate" else f"{found.load:.0f}"
    option = {"rate": "--rate", "users": "--users", "groups": "--groups"}[found.quantity]
    if found.quantity == "groups":  # `run` takes users
        option, amount = "--users", f"{found.load * foreign.group:.0f}"
    at_a_time = ["--users", str(foreign.users)] if foreign.users else []
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as folder:
        command = [
            place.headcount, "run", *options(foreign, running, folder, "load"), option, amount, *at_a_time,
            "--warmup", "2s", "--duration", f"{LOAD_S}s", "--seed", str(OTHER_SEED),
        ]
        child = subprocess.Popen(
            place.on_core(GENERATOR_CORE, command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )
        try:
            time.sleep(WARM_UP_S)
            own = running.own()
            return seen(running.pid), own
        finally:
            end_group(child)
