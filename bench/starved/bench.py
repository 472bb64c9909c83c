"""Starves headcount of CPU repeatedly, and counts how often headcount reports it."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from common import machine
from common.failure import Failure
from common.place import BENCH, GENERATOR_CORE, Place
from common.process import complain, end_group, finish, pinned
from common.server import TruthServer
from common.table import table

RUNS = 20
LIMIT_S = 60
SCENARIOS = BENCH / "starved"
CGROUPS = [(Path("/sys/fs/cgroup/cpu"), "cpu.cfs_quota_us", "10000"), (Path("/sys/fs/cgroup"), "cpu.max", "10000 100000")]


@contextmanager
def hog() -> Iterator[list[str]]:
    """A process that competes for the generator's core."""
    command = pinned(GENERATOR_CORE, ["sh", "-c", "while :; do :; done"], goes_first=False)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield []
    finally:
        end_group(child)


@contextmanager
def quota() -> Iterator[list[str]]:
    """Creates a control group with a tenth of a core. Yields the command prefix that runs a program in the group."""
    root, file, text = next(kind for kind in CGROUPS if kind[0].is_dir())
    folder = root / "headcount-bench"
    try:
        folder.mkdir()
        (folder / file).write_text(text, encoding="utf-8")
    except OSError as why:
        raise Failure(f"cannot create a control group here: {why}") from why
    try:
        yield ["sh", "-c", f'echo $$ > {folder}/cgroup.procs; exec "$@"', "sh"]
    finally:
        folder.rmdir()


@dataclass(frozen=True)
class Kind:
    """A way to starve headcount of CPU, or a run without starvation."""

    words: str
    scenario: str
    around: Callable[[], AbstractContextManager]
    starved: bool


KINDS = [
    Kind("undisturbed, 2,000/s", "light.ts", lambda: nullcontext([]), starved=False),
    Kind("another process takes its core, 2,000/s", "light.ts", hog, starved=True),
    Kind("more load than its core can generate", "heavy.ts", lambda: nullcontext([]), starved=True),
    Kind("a CPU quota of a tenth of a core", "heavy.ts", quota, starved=True),
]


def measured(place: Place, only: list[str]) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all reports were correct."""
    chosen = [kind for kind in KINDS if not only or any(word in kind.words for word in only)]
    load_before = machine.load()
    rows, passed = [], True
    for kind in chosen:
        words = [validity(kind, place) for _ in range(RUNS)]
        wrong = words.count("invalid") != (RUNS if kind.starved else 0)
        passed &= not wrong
        rows.append([kind.words, *[str(words.count(word)) for word in ("valid", "questionable", "invalid")], "WRONG" if wrong else "right"])
        complain(f"    {rows[-1]}")
    text = "\n\n".join([
        "# Starved of CPU",
        f"{RUNS} runs of 3 s each, generator and truth server on separate cores.",
        machine.described(place, [], load_before),
        table(["", "valid", "questionable", "invalid", "verdict"], rows),
    ])
    return text, passed


def validity(kind: Kind, place: Place) -> str:
    """Returns the validity of the run's only level."""
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name, TruthServer(place) as server, kind.around() as before:
        command = [
            *before, place.headcount, "run", SCENARIOS / kind.scenario, "--target", server.url, "--json", "--quiet",
            "--workers", "1", "--cores", GENERATOR_CORE, "--out", Path(name) / "run",
        ]
        finished = finish(list(map(str, command)), LIMIT_S, {})
    try:
        return json.loads(finished.stdout)["levels"][0]["validity"]
    except (ValueError, LookupError) as why:
        raise Failure(f"no result: exit code {finished.code}: {finished.stderr.strip()}") from why
