"""Starts servers for a bench: the truth server, which counts its own actions, and others."""

import http.client
import json
import os
import select
import subprocess
import time

from common.failure import Failure
from common.place import SERVER_CORE, Place
from common.process import end_group, end_server

STARTS_WITHIN_S = 10
ANSWERS_WITHIN_S = 10
ANNOUNCES = "listening on http://"


class Server:
    """Runs a server on its own core while the `with` block runs. The server's first line of output states its address."""

    def __init__(self, name: str, place: Place, command: list, environment: dict[str, str] | None = None) -> None:
        self.name, self.command, self.environment = name, place.on_core(SERVER_CORE, command), environment or {}

    def __enter__(self) -> "Server":
        self.child = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | self.environment,
            start_new_session=True,
        )
        try:
            self.address = self.announced()
        except BaseException:
            end_group(self.child)
            raise
        self.pid, self.url = self.child.pid, f"http://{self.address}"
        return self

    def __exit__(self, *_: object) -> None:
        end_server(self.child)

    def announced(self) -> str:
        """Returns host and port."""
        ready, _, _ = select.select([self.child.stdout], [], [], STARTS_WITHIN_S)
        line = self.child.stdout.readline().decode().strip() if ready else ""
        if line.isdecimal():  # the servers in `e2e` print only their port
            return f"127.0.0.1:{line}"
        if not line.startswith(ANNOUNCES):
            raise Failure(f"{self.name} did not start: `{' '.join(self.command)}` printed {line!r}")
        return line.removeprefix(ANNOUNCES).rstrip("/")

    def must_live(self) -> None:
        """Raises a failure if the server has ended, because the figures would then be meaningless."""
        if self.child.poll() is not None:
            raise Failure(f"{self.name} ended unexpectedly with code {self.child.returncode}")


class TruthServer(Server):
    """A server whose behaviour is known exactly."""

    def __init__(self, place: Place, *more: object) -> None:
        super().__init__("the truth server", place, [place.headcount, "serve", "truth", "--listen", "127.0.0.1:0", *more])

    def did(self) -> dict:
        """Returns the server's counts so far. `docs/reference/truth.md` explains them."""
        self.must_live()
        return json.loads(self.answer("/truth")[0])

    def answer(self, path: str) -> tuple[bytes, float, float]:
        """Sends a request on a new connection. Returns the body, and the times of request and response."""
        connection = http.client.HTTPConnection(self.address, timeout=ANSWERS_WITHIN_S)
        try:
            connection.connect()
            asked = time.monotonic()
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            answered = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            raise Failure(f"the truth server did not respond to {path}: {error}") from error
        finally:
            connection.close()
        if answer.status != 200:
            raise Failure(f"the truth server responded to {path} with status {answer.status}: {body[:200]!r}")
        return body, asked, answered
