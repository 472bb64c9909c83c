"""Benchmarks of headcount, most of them compared with its peers: `python3 bench stall`, `http` and more. See README.md."""

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType

from common.failure import Failure
from common.place import Place

FOLDERS = {
    name: name
    for name in [
        *["stall", "pacing", "starved", "verdicts", "echo", "fanout", "idle"],
        *["editor", "start", "accuracy", "audit", "instructions", "hostile", "ceilings", "brokers", "foreign"],
        *["compare", "ui", "opening", "clocks", "systems"],
    ]
}
FOLDERS |= {"http": "web"}  # a folder named `http` would hide Python's own module


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 bench", description=__doc__)
    parser.add_argument("bench", choices=sorted(FOLDERS), help="the benchmark to run")
    parser.add_argument("system", nargs="?", help="with `hostile`: the service to attack")
    parser.add_argument("--minutes", type=float, metavar="N", help="with `hostile`: duration of the attack [default: 10]")
    parser.add_argument("--headcount", type=Path, metavar="FILE", help="the program [default: built with --release]")
    parser.add_argument("--only", metavar="WORD", action="append", help="only settings whose name contains this word; repeatable")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds, each with all tools in turn [default: depends on the bench]")
    parser.add_argument("--first", action="store_true", help="run with real-time priority, for a busy machine (needs root)")
    parser.add_argument("--bless", action="store_true", help="with `instructions`: save the counts as the new baseline")
    parser.add_argument("--save", type=Path, metavar="FILE", help="also write the result to this file")
    return parser.parse_args()


def measured(bench: ModuleType, given: argparse.Namespace) -> tuple[str, bool]:
    """Runs the bench. Returns the result, and whether all goals were reached."""
    only, more = given.only or [], rounds(bench, given)
    if hasattr(bench, "attacked"):
        return bench.attacked(Place.prepared(given.headcount, given.first), given.system, given.minutes or bench.MINUTES, only)
    if hasattr(bench, "checked"):  # needs no program and no peers: it compares the code with a baseline
        return bench.checked(only, given.bless)
    if given.bless:
        raise Failure(f"`bench {given.bench}` has no baseline to bless")
    return bench.measured(Place.prepared(given.headcount, given.first), only, *more)


def rounds(bench: ModuleType, given: argparse.Namespace) -> list[int]:
    """Returns the round numbers of a bench that has rounds."""
    own = getattr(bench, "ROUNDS", None)
    if given.rounds is not None and (own is None or given.rounds < 1):
        raise Failure(f"`bench {given.bench}` has no rounds" if own is None else "--rounds must be 1 or more")
    return [] if own is None else [given.rounds or own]


def main() -> int:
    given = arguments()
    bench = importlib.import_module(f"{FOLDERS[given.bench]}.bench")
    try:
        text, passed = measured(bench, given)
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: interrupted, nothing was saved", file=sys.stderr)
        return 130
    print(text)
    if given.save:
        given.save.write_text(text + "\n", encoding="utf-8")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
