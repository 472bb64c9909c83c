"""Checks, before any tool is judged, that the server keeps the schedule from which the true figures are computed."""

import threading
import time

from common.failure import Failure
from common.server import TruthServer

DELAY_S = 0.02
LASTS_S = 0.2
EVERY_S = 0.5
FIRST_S = 0.3
ASKED_AT_S = [0.0, 0.1, 0.35, 0.45, 0.6, 0.85]
EARLY_S = 0.002
LATE_S = 0.1

PATH = f"/stall/{DELAY_S * 1e6:.0f}us/{LASTS_S * 1e6:.0f}us/{EVERY_S * 1e6:.0f}us/{FIRST_S * 1e6:.0f}us"


def must_keep_its_schedule(server: TruthServer) -> None:
    """Sends requests at six times within a second: before, during and between two stalls. This is not a measurement, so a
    busy machine may be late by up to half a stall."""
    begun = time.monotonic()
    answers: list[tuple[float, float] | Failure] = [Failure("no request was sent to the truth server")] * len(ASKED_AT_S)
    threads = [threading.Thread(target=ask, args=(server, begun, index, answers)) for index in range(len(ASKED_AT_S))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first = None
    for answer in answers:
        if isinstance(answer, Failure):
            raise answer
        asked, answered = answer
        first = asked if first is None else first
        expected = first + leaves_at(asked - first)
        if not -EARLY_S <= answered - expected <= LATE_S:
            raise Failure(
                f"the truth server does not keep its schedule: requested {asked - first:.4f} s after its first request, "
                f"the response was due at {expected - first:.4f} s and came at {answered - first:.4f} s"
            )


def ask(server: TruthServer, begun: float, index: int, answers: list) -> None:
    time.sleep(max(0.0, begun + ASKED_AT_S[index] - time.monotonic()))
    try:
        _, *answers[index] = server.answer(PATH)
    except Failure as failure:
        answers[index] = failure


def leaves_at(arrival_s: float) -> float:
    due = arrival_s + DELAY_S
    into = (due - FIRST_S) % EVERY_S
    return due + (LASTS_S - into if FIRST_S <= due and into < LASTS_S else 0.0)
