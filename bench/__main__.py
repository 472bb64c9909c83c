"""Measurements of headcount, most of them beside its peers: `python3 bench stall`, `http` and more. See README.md."""

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
        *["editor", "start", "accuracy", "audit", "instructions", "hostile"],
    ]
}
FOLDERS |= {"http": "web"}  # a folder of that name would stand before Python's own module


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 bench", description=__doc__)
    parser.add_argument("bench", choices=sorted(FOLDERS), help="what is measured")
    parser.add_argument("system", nargs="?", help="with `hostile`: the service that is attacked")
    parser.add_argument("--minutes", type=float, metavar="N", help="with `hostile`: for how long [default: 10]")
    parser.add_argument("--headcount", type=Path, metavar="FILE", help="the program [default: built with --release]")
    parser.add_argument("--only", metavar="WORD", action="append", help="only settings with this word; may be repeated")
    parser.add_argument("--rounds", type=int, metavar="N", help="how often all tools are run in turn [default: the bench's own]")
    parser.add_argument("--first", action="store_true", help="on a busy machine: before everything else (needs root)")
    parser.add_argument("--bless", action="store_true", help="with `instructions`: what is counted becomes the baseline")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the result to this file too")
    return parser.parse_args()


def measured(bench: ModuleType, given: argparse.Namespace) -> tuple[str, bool]:
    """The result, and whether it is good."""
    only, more = given.only or [], rounds(bench, given)
    if hasattr(bench, "attacked"):
        return bench.attacked(Place.prepared(given.headcount, given.first), given.system, given.minutes or bench.MINUTES, only)
    if hasattr(bench, "checked"):  # needs no program and no peers: it holds the code against a baseline
        return bench.checked(only, given.bless)
    if given.bless:
        raise Failure(f"`bench {given.bench}` has no baseline to bless")
    return bench.measured(Place.prepared(given.headcount, given.first), only, *more)


def rounds(bench: ModuleType, given: argparse.Namespace) -> list[int]:
    """How many, for a bench that has rounds."""
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
