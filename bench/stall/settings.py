"""The tools, each with settings that measure correctly and with common settings."""

from common.place import BENCH
from common.report import of_headcounts_deliveries
from common.tools import headcount, k6, locust, oha, vegeta, wrk
from stall.truth import RATE

SCENARIOS = BENCH / "stall"

MUST_BE_RIGHT = [
    headcount(f'`rate: "{RATE}/s"`, 400 users', SCENARIOS / "stall.ts"),
    headcount('WebSocket deliveries, `every("5ms")`', SCENARIOS / "deliveries.ts", of_headcounts_deliveries),
]

SETTINGS = [
    *MUST_BE_RIGHT,
    headcount('200 users, `every("1s")`', SCENARIOS / "every.ts"),
    headcount("10 users (closed)", SCENARIOS / "closed.ts"),
    vegeta(f"-rate={RATE}"),
    vegeta(f"-rate={RATE} -max-workers=50"),
    vegeta("-rate=0 -workers=10 -max-workers=10", "-rate=0 -max-workers=10 (closed)"),
    k6("constant-arrival-rate, 300 VUs", RATE=RATE, VUS=300),
    k6("constant-arrival-rate, 50 VUs, at most 300", RATE=RATE, VUS=50, MAX=300),
    k6("constant-arrival-rate, 50 VUs", RATE=RATE, VUS=50),
    k6("constant-vus, 10 VUs (closed)", VUS=10),
    oha(f"-q {RATE} -c 300 --latency-correction"),
    oha(f"-q {RATE} -c 50 --latency-correction"),
    oha(f"-q {RATE} -c 50"),
    oha("-c 10", "-c 10 (closed)"),
    wrk(10),
    wrk(50),
    locust("200 users, constant_pacing(1)", 200, 1),
    locust("50 users, constant_pacing(0.25)", 50, 0.25),
    locust("10 users, constant(0) (closed)", 10, 0),
]
