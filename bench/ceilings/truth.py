"""Computes the highest load at which a queue keeps a limit, from the configuration of the server alone.

The queue is simulated exactly: Poisson arrivals, k servers that take a constant or an exponentially distributed time
each, first come, first served.
"""

import heapq
import random

LATENCY_LIMIT_S = 0.1
ALLOWED = 0.05
"""Share of the responses that may take longer: the threshold is `p95 < 100ms`."""
ARRIVALS = 400_000
STEPS = 14


def share_beyond(rate: float, servers: int, service_s: float, varies: bool) -> float:
    """Returns the share of responses that take longer than the limit at this rate."""
    dice = random.Random(7)
    free, now, beyond = [0.0] * servers, 0.0, 0
    for _ in range(ARRIVALS):
        now += dice.expovariate(rate)
        done = max(heapq.heappop(free), now) + (dice.expovariate(1 / service_s) if varies else service_s)
        heapq.heappush(free, done)
        beyond += done - now > LATENCY_LIMIT_S
    return beyond / ARRIVALS


def ceiling(servers: int, service_s: float, *, varies: bool = False) -> float:
    """Returns the rate at which exactly the allowed share takes longer."""
    low, high = 0.0, servers / service_s
    for _ in range(STEPS):
        middle = (low + high) / 2
        if share_beyond(middle, servers, service_s, varies) > ALLOWED:
            high = middle
        else:
            low = middle
    return (low + high) / 2
