"""Reads the server's count of arrivals ten times a second while a tool runs."""

import http.client
import json
import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

from common.place import SERVER_CORE
from common.server import ANSWERS_WITHIN_S, TruthServer

EVERY_S = 0.1


@dataclass
class Arrivals:
    """The count at several times. Times are in seconds on the server's clock."""

    points: list[tuple[float, int]] = field(default_factory=list)


@contextmanager
def watched(server: TruthServer, path: str, arrivals: Arrivals):
    """Reads the count over one connection. Runs on the server's core, so that it does not disturb the generator's core."""
    arrivals.points.clear()
    stop = threading.Event()
    thread = threading.Thread(target=watch, args=(server, path, arrivals, stop))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def watch(server: TruthServer, path: str, arrivals: Arrivals, stop: threading.Event) -> None:
    os.sched_setaffinity(threading.get_native_id(), {SERVER_CORE})
    connection = http.client.HTTPConnection(server.address, timeout=ANSWERS_WITHIN_S)
    try:
        while not stop.wait(EVERY_S):
            connection.request("GET", "/truth")
            did = json.loads(connection.getresponse().read())
            count = did["routes"][path]["requests"] if path in did["routes"] else 0
            arrivals.points.append((did["clock_ns"] / 1e9, count))
    except (OSError, http.client.HTTPException):
        arrivals.points.clear()  # the reader reports that there are too few points
    finally:
        connection.close()
