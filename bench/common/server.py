"""The truth server: what it does is known exactly, and it counts what it did."""

import http.client
import json
import select
import subprocess
import time

from common.failure import Failure
from common.place import SERVER_CORE, Place
from common.process import end_group, end_server

STARTS_WITHIN_S = 10
ANSWERS_WITHIN_S = 10


class TruthServer:
    """Runs on a core of its own, for as long as the `with` block lasts."""

    def __init__(self, place: Place, *more: object) -> None:
        self.command = place.on_core(SERVER_CORE, [place.headcount, "serve", "truth", "--listen", "127.0.0.1:0", *more])

    def __enter__(self) -> "TruthServer":
        self.child = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self.url = self.announced()
        except BaseException:
            end_group(self.child)
            raise
        self.pid, self.address = self.child.pid, self.url.removeprefix("http://")
        return self

    def __exit__(self, *_: object) -> None:
        end_server(self.child)

    def announced(self) -> str:
        """The server says where it listens, on one line."""
        ready, _, _ = select.select([self.child.stdout], [], [], STARTS_WITHIN_S)
        line = self.child.stdout.readline().decode() if ready else ""
        if not line.startswith("listening on http://"):
            raise Failure(f"the truth server did not start: `{' '.join(self.command)}` said {line.strip()!r}")
        return line.removeprefix("listening on ").strip().rstrip("/")

    def did(self) -> dict:
        """What the server says it did until now: `docs/reference/truth.md` explains it."""
        self.must_live()
        return json.loads(self.answer("/truth")[0])

    def answer(self, path: str) -> tuple[bytes, float, float]:
        """Body, and when it was asked for and answered, on a connection of its own."""
        connection = http.client.HTTPConnection(self.address, timeout=ANSWERS_WITHIN_S)
        try:
            connection.connect()
            asked = time.monotonic()
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            answered = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            raise Failure(f"the truth server did not answer {path}: {error}") from error
        finally:
            connection.close()
        if answer.status != 200:
            raise Failure(f"the truth server answered {path} with {answer.status}: {body[:200]!r}")
        return body, asked, answered

    def must_live(self) -> None:
        """A server that has ended by itself makes every figure worthless."""
        if self.child.poll() is not None:
            raise Failure(f"the truth server ended by itself, with {self.child.returncode}")
