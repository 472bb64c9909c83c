"""The tools, each in a closed loop with the same number of connections."""

from common.place import BENCH
from common.tools import Setting, artillery, autocannon, goose, headcount, headcount_bench, k6, locust, oha, vegeta, wrk

SCENARIOS = BENCH / "web"
SECONDS = 5
CONNECTIONS = [50, 1000]


def settings(connections: int) -> dict[str, Setting]:
    """Returns the settings, keyed by the names that the goals use."""
    load = f"--users {connections} --duration {SECONDS}s"
    return {
        "wrk": wrk(connections, SECONDS),
        "bench": headcount_bench(f"-c {connections} -d {SECONDS}s"),
        "one": headcount("`run`, one request an iteration", SCENARIOS / "one.ts", more=load),
        "loop": headcount("`run`, a loop in the iteration", SCENARIOS / "loop.ts", more=load),
        "oha": oha(f"-c {connections}", seconds=SECONDS),
        "vegeta": vegeta(
            f"-rate=0 -workers={connections} -max-workers={connections} -connections={connections}",
            f"-rate=0 -max-workers={connections}",
            SECONDS,
        ),
        "autocannon": autocannon(connections, SECONDS),
        "Goose": goose(connections, SECONDS),
        "k6": k6(f"{connections:,} VUs", VUS=connections, SECONDS=SECONDS),
        "Locust": locust(f"{connections:,} users, FastHttpUser", connections, 0, SECONDS),
        "Artillery": artillery(connections, SECONDS),
    }
