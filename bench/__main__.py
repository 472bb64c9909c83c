"""Measurements of headcount beside its peers: `python3 bench stall`, `pacing`, `starved`. See README.md."""

import argparse
import importlib
import sys
from pathlib import Path

from common.failure import Failure
from common.place import Place


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 bench", description=__doc__)
    parser.add_argument("bench", choices=["stall", "pacing", "starved"], help="what is measured")
    parser.add_argument("--headcount", type=Path, metavar="FILE", help="the program [default: built with --release]")
    parser.add_argument("--only", metavar="WORD", action="append", help="only settings with this word; may be repeated")
    parser.add_argument("--first", action="store_true", help="on a busy machine: before everything else (needs root)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the result to this file too")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    bench = importlib.import_module(f"{given.bench}.bench")
    try:
        place = Place.prepared(given.headcount, given.first)
        text, passed = bench.measured(place, given.only or [])
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
