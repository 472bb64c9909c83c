"""Runs headcount, and asks its live page for updates as a browser does."""

import http.client
import json
import os
import re
import subprocess
import threading
from urllib.parse import urlsplit

from common.failure import Failure
from common.process import Finished, cpu_of_children, end_group

ANNOUNCED = re.compile(r"live page\s+(http://\S+)")
RESPONDS_WITHIN_S = 30


def finish(command: list[str], limit_s: float, viewers: int) -> tuple[Finished, int]:
    """Runs headcount to its end, with so many open pages. Returns also the number of updates that they received."""
    before = cpu_of_children()
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ, start_new_session=True
    )
    updates: list[int] = []
    said: list[str] = []
    pages: list[threading.Thread] = []

    def read_stderr() -> None:
        for line in child.stderr:
            said.append(line)
            found = ANNOUNCED.search(line)
            if found:
                pages.extend(threading.Thread(target=follow, args=(found.group(1), updates), daemon=True) for _ in range(viewers))
                for page in pages:
                    page.start()

    reader = threading.Thread(target=read_stderr, daemon=True)
    reader.start()
    limit = threading.Timer(limit_s, child.kill)
    limit.start()
    try:
        stdout = child.stdout.read()
        code = child.wait()
        reader.join(timeout=5)
        for page in pages:
            page.join(timeout=5)
    finally:
        limit.cancel()
        end_group(child)
    return Finished(code, stdout, "".join(said), 0.0, cpu_of_children() - before), len(updates)


def follow(url: str, updates: list[int]) -> None:
    """Loads the page, then asks for one update after the other until the run ends."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=RESPONDS_WITHIN_S)
    after = 0
    try:
        get(connection, parts.path)
        while True:
            update = json.loads(get(connection, f"{parts.path}updates?after={after}"))
            after = update["change"]
            updates.append(after)
            if (update.get("end") or {}).get("last"):
                return
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return  # the run has ended
    finally:
        connection.close()


def get(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise Failure(f"the live page responded to {path} with status {answer.status}")
    return body
