"""Reads the server's count of arrivals ten times a second while a tool is running."""

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
    """Points in time, on the server's clock and in seconds, with the count at each."""

    points: list[tuple[float, int]] = field(default_factory=list)


@contextmanager
def watched(server: TruthServer, path: str, arrivals: Arrivals):
    """Reads the count over one connection, from the server's core, so that the generator's core is left alone."""
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
