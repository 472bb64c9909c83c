"""Searches ceilings of targets whose capacity is known, and counts how often `headcount find` names it within 5 %."""

import json
import math
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from common import machine
from common.failure import Failure
from common.goals import at_least, at_most, told
from common.place import GENERATOR_CORE, Place
from common.process import complain, finish
from common.quota import obstacle, quota
from common.server import TruthServer
from common.table import span, table

from ceilings import truth

ROUNDS = 10
BUDGET_S = 240
LIMIT_S = BUDGET_S + 60
WITHIN = 0.05
SIDE_BY_SIDE = 3
"""Searches of an idle target that run at the same time. They share the generator's core, and run in step. With five, the
generator was the limit in some searches of the pool."""
THRESHOLD = '"p95 < 100ms"'
"""The limit for which `truth` computes ceilings."""


@dataclass(frozen=True)
class Target:
    """A scenario, and the ceiling that follows from the configuration of its target."""

    words: str
    load: str
    body: str
    ceiling: float | None
    """`None`: the generator is the limit, so there is no ceiling."""
    thresholds: str = f"requests: [{THRESHOLD}]"
    group: int = 1
    quota_cores: float | None = None
    """CPU quota of the server. `None`: it has a core."""
    is_idle: bool = False
    """Whether the target waits instead of working, so that several fit on one core."""

    def scenario(self) -> str:
        return (
            'import type { Group, Options } from "headcount";\n'
            f"export const options: Options = {{ group: {self.group}, load: {{ {self.load} }}, "
            f"thresholds: {{ {self.thresholds} }} }};\n"
            f"export default async function act(group: Group) {{ const user = group.users[0]!; {self.body} }}\n"
        )


def whole(groups: float) -> float:
    """The ceiling of a search of groups: the highest whole number that holds."""
    return float(math.floor(groups))


def get(path: str) -> str:
    return f'await user.get("{path}");'


EVEN = 'rate: "20/s", users: 4000'
POISSON = f'{EVEN}, arrivals: "poisson"'
SIZE, PAIR_US, EACH_MS = 5, 400, 1_500
"""A message costs 16 pairs of receivers, so 6.4 ms. Reading and forwarding it costs about 1 % more. The phases of the users are
random, so messages queue below the ceiling too, but not for as long as the limit of 200 ms, which is 31 messages: with 234
users, that happens in 1 of 4,000 trials (a Brownian bridge exceeds 31 with a probability of exp(-2 * 31**2 / 234))."""
TALK = f"""const said = group.channel("said", {{ to: "others" }});
await group.everyone(async (user, here) => {{
  const socket = await user.websocket(`/room/${{group.id}}?pair-work={PAIR_US}us`, {{ name: "room" }});
  socket.receives(said);
  await here("joined");
  user.every("{EACH_MS}ms", () => socket.send(said.stamp(user)), {{ first: `${{user.random({EACH_MS})}}ms` }});
  await user.stay();
}});"""
BURN = "for (const end = Date.now() + 5; Date.now() < end; );"


def targets() -> list[Target]:
    """All targets. Ceilings of queues with random arrivals lie below their capacity, where the limit is just kept."""
    return [
        Target("one server of 10 ms, even arrivals", EVEN, get("/queue/1/10ms"), 100, is_idle=True),
        Target("one server of 10 ms, random arrivals (M/D/1)", POISSON, get("/queue/1/10ms"), truth.ceiling(1, 0.010), is_idle=True),
        Target("four servers of 20 ms, random arrivals (M/D/4)", POISSON, get("/queue/4/20ms"), truth.ceiling(4, 0.020), is_idle=True),
        Target("eight servers of 40 ms, random arrivals (M/D/8)", POISSON, get("/queue/8/40ms"), truth.ceiling(8, 0.040), is_idle=True),
        Target("four servers of random times, 20 ms on average (M/M/4)", POISSON, get("/queue/4/20ms/exponential"),
               truth.ceiling(4, 0.020, varies=True), is_idle=True),
        Target("a pool of four connections of 10 ms", EVEN, get("/upstream/4/10ms"), 400, is_idle=True),
        Target("one thread of 5 ms", EVEN, get("/burn/5ms"), 200),
        Target("four threads of 5 ms with a quota of half a core", EVEN, get("/pool/5ms"), 100, quota_cores=0.5),
        Target("fixed windows: 100 requests per second let through", EVEN, get("/limit/100/1s"), 100 / 0.99, 'requests: ["failed < 1%"]', is_idle=True),
        Target("a token bucket: 100 requests per second let through", EVEN, get("/bucket/100/20"), 100 / 0.99, 'requests: ["failed < 1%"]',
               is_idle=True),
        Target(
            "fan-out with the square of the receivers", "groups: 1", TALK, whole(1_000 * EACH_MS / (SIZE * (SIZE - 1) ** 2 * PAIR_US)),
            'deliveries: ["p95 < 200ms"]', SIZE,
        ),
        Target("a generator that needs 5 ms per request", EVEN, get("/delay/1ms") + BURN, None),
    ]


@dataclass(frozen=True)
class Answer:
    """The result of one search."""

    load: float | None
    spent_s: float
    ended: str
    """Why the search ended, as `find --json` names it."""


def measured(place: Place, only: list[str], rounds: int) -> tuple[str, bool]:
    """Returns the result as Markdown, and whether all goals were reached."""
    chosen = [target for target in targets() if not only or any(word in target.words for word in only)]
    load_before = machine.load()
    rows, right, spent, ceilings_of_generator = [], 0, [], 0
    if not chosen:
        raise Failure(f"no target's name contains {' or '.join(only)}")
    for target in list(chosen):
        if target.quota_cores and (why := obstacle(target.quota_cores)):
            complain(f"    left out: {target.words}: {why}")
            chosen.remove(target)
    if not chosen:
        raise Failure("no target can be searched on this machine")
    known = [target for target in chosen if target.ceiling is not None]
    for target in chosen:
        with ThreadPoolExecutor(SIDE_BY_SIDE if target.is_idle else 1) as searches:
            answers = list(searches.map(lambda _, of=target: search(of, place), range(rounds)))
        named = [answer.load for answer in answers if answer.load is not None]
        spent += [answer.spent_s for answer in answers]
        if target.ceiling is None:
            ceilings_of_generator += len(named)
            within = rounds - len(named)
        else:
            within = sum(abs(load / target.ceiling - 1) <= WITHIN for load in named)
            right += within
        rows.append([
            target.words, "none" if target.ceiling is None else f"{target.ceiling:.1f}",
            span(named, ".1f") if named else "–", f"{within} of {rounds}", unanswered(answers),
            span([answer.spent_s for answer in answers], ".0f"),
        ])
        complain(f"    {rows[-1]}")
    goals = [
        at_least("ceilings within 5 % of the computed one, in percent", 100 * right / (rounds * len(known)) if known else None, 90, ".0f"),
        at_most("longest search, in seconds", max(spent), BUDGET_S, ".0f"),
        at_most("ceilings named although the generator was the limit", float(ceilings_of_generator), 0, ".0f"),
    ]
    text = "\n\n".join([
        "# Ceilings",
        f"`headcount find` with {BUDGET_S} s each, {rounds} searches per target. Targets that only wait were searched "
        f"{SIDE_BY_SIDE} at a time, the others one after the other.",
        machine.described(place, [], load_before),
        table(["target", "computed", "found: median (least–most)", "right", "without an answer", "seconds"], rows),
        *told(goals),
    ])
    return text, all(goal.reached for goal in goals if goal.value is not None)


def unanswered(answers: list[Answer]) -> str:
    """The number of searches without an answer, and how they ended."""
    ends = [answer.ended for answer in answers if answer.load is None]
    return f"{len(ends)} ({', '.join(sorted(set(ends)))})" if ends else "0"


def search(target: Target, place: Place) -> Answer:
    """Runs one search. Exit code 98 means that no ceiling was found."""
    with ExitStack() as stack:
        limit = stack.enter_context(quota(target.quota_cores)) if target.quota_cores else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headcount-bench-")))
        server = stack.enter_context(TruthServer(place))
        if limit:
            limit.limit(server.pid)
        scenario = folder / "scenario.ts"
        scenario.write_text(target.scenario(), encoding="utf-8")
        command = [
            place.headcount, "find", scenario, "--target", server.url, "--json", "--quiet", "--budget", f"{BUDGET_S}s",
            "--workers", "1", "--cores", GENERATOR_CORE, "--out", folder / "found",
        ]
        finished = finish(place.on_core(GENERATOR_CORE, command), LIMIT_S, {})
    try:
        answer = json.loads(finished.stdout)["answer"]
    except (ValueError, LookupError) as why:
        raise Failure(f"no result: exit code {finished.code}: {finished.stderr.strip()}") from why
    stable = answer["stable"]
    found = Answer(stable and stable["load"], answer["spent_s"], answer["ended"])
    complain(f"        {target.words}: {found}")  # if the bench is stopped, the searches until then are not lost
    return found
