"""Measures the cost of a connected but idle user, and the number of such users that fit on one machine."""

import statistics

from common.compared import Comparison, compared, remarks, written
from common.failure import Failure
from common.goals import Goal, at_least, at_most
from common.observed import observed
from common.place import Place
from common.rounds import Results
from common.server import TruthServer
from common.table import span
from common.tools import Setting
from idle.crowd import Outcome, crowded
from idle.settings import CROWD, FEW, MANY, SETTINGS

ROUNDS = 3

HEAD = ["tool", "setting", "connected", "memory, MB", "KB per user", "heard the broadcast", "CPU in all, s", "remarks"]


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""

    def run(key: tuple[str, int], setting: Setting) -> Outcome:
        return crowded(place) if key[1] == CROWD else outcome_of(key[1], setting, place)

    comparison = compared(place, SETTINGS, only, rounds, run)
    return written(
        "The cost of an idle user",
        "WebSockets in a room of the truth server in which nobody sends; and 50,000 of which one sends a message to all "
        "others.",
        comparison,
        HEAD,
        comparison.rows(HEAD, lambda key, result: cells(key, result, comparison)),
        goals_of(comparison),
        "Memory is the resident memory of the tool's processes while all users are connected, as the kernel reports it. The kernel's "
        f"own memory for sockets and the server's memory are not included. KB per user is the increase since {FEW} users, divided by "
        "the additional users, in units of 1,000 bytes. The server counts the connections. If a process may not open that "
        "many files, the 50,000 are spread over several processes and servers, all at the same time; each "
        "part then has its own broadcast.",
    )


def outcome_of(users: int, setting: Setting, place: Place) -> Outcome:
    with TruthServer(place) as server:
        # The connection that reads the count is not counted.
        seen = observed(setting, place, server, "/room/idle", lambda: server.did()["connections"]["open"] - 1)
    most = max((sample.count for sample in seen.watch.samples), default=0)
    if most < users:
        raise Failure(f"only {most:,} of {users:,} users were connected at the same time")
    resident = [sample.tool.resident_kb for sample in seen.watch.samples if sample.count == most]
    return Outcome(most, statistics.median(resident) * 1024 / 1000, seen.finished.cpu_s, 0, seen.report.remarks)


def cells(key: tuple[str, int], result: Results, comparison: Comparison) -> list[str]:
    outcomes = list(result.of_round.values())
    tool, users = key
    each = [] if users == FEW else per_user(comparison, tool, users)
    heard = f"{min(outcome.heard for outcome in outcomes):,}" if users == CROWD else "–"
    return [
        f"{result.median(lambda outcome: outcome.connected):,.0f}",
        span(result.values(lambda outcome: outcome.resident_kb / 1000), ".1f"),
        span(each, ".2f") if each else "–",
        heard,
        f"{result.median(lambda outcome: outcome.cpu_s):.1f}",
        remarks([outcome.remarks for outcome in outcomes]),
    ]


def per_user(comparison: Comparison, tool: str, users: int) -> list[float]:
    """Returns KB per user for each round in which both numbers of users were run."""
    few, many = comparison.of((tool, FEW)).of_round, comparison.of((tool, users)).of_round
    both = few.keys() & many.keys()
    return [(many[number].resident_kb - few[number].resident_kb) / (users - FEW) for number in both]


def goals_of(comparison: Comparison) -> list[Goal]:
    goals = []
    each = per_user(comparison, "headcount", MANY)
    if each:
        goals.append(at_most(f"KB per silent user, at {MANY:,}", statistics.median(each), 6))
    crowd = comparison.of(("headcount", CROWD)).of_round.values()
    if comparison.settings.get(("headcount", CROWD)):
        heard = min((outcome.heard for outcome in crowd), default=None)
        goals.append(at_least(f"of {CROWD:,} users, those who heard the broadcast, speakers included", heard, CROWD, ",.0f"))
    return goals
