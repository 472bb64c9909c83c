"""The distribution's NATS and Redis servers, on free ports of this machine."""

import http.client
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from common.failure import Failure
from common.place import SERVER_CORE, Place
from common.process import end_group

STARTS_WITHIN_S = 10


class Broker:
    """Runs a server on its own core while the `with` block runs."""

    scheme: str

    def __init__(self, place: Place) -> None:
        self.place = place

    def __enter__(self) -> "Broker":
        self.port = free_port()
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        self.folder = tempfile.TemporaryDirectory(prefix="headcount-bench-")
        command = self.place.on_core(SERVER_CORE, self.command())
        self.child = subprocess.Popen(
            command,
            cwd=self.folder.name,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.pid = self.child.pid
        try:
            wait_for(self.port, self.child)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        end_group(self.child)
        self.folder.cleanup()

    def command(self) -> list:
        raise NotImplementedError

    def did(self) -> int:
        """Returns the number of messages or commands so far, by the server's own count."""
        raise NotImplementedError


class NatsServer(Broker):
    scheme = "nats"

    def command(self) -> list:
        self.monitor = free_port()
        # A slow subscriber should be measured, not disconnected.
        config = Path(self.folder.name) / "nats.conf"
        config.write_text('max_pending: 256MB\nwrite_deadline: "30s"\n', encoding="utf-8")
        return [program("nats-server"), "-c", config, "-a", "127.0.0.1", "-p", self.port, "-m", self.monitor]

    def did(self) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.monitor, timeout=STARTS_WITHIN_S)
        try:
            connection.request("GET", "/varz")
            return json.loads(connection.getresponse().read())["out_msgs"]
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Failure(f"nats-server did not report its counts: {error}") from error
        finally:
            connection.close()


class RedisServer(Broker):
    scheme = "redis"

    def command(self) -> list:
        return [program("redis-server"), "--bind", "127.0.0.1", "--port", self.port, "--save", "", "--appendonly", "no"]

    def did(self) -> int:
        try:
            with socket.create_connection(("127.0.0.1", self.port), STARTS_WITHIN_S) as connection:
                connection.sendall(b"INFO commandstats\r\n")
                return calls_of_get(connection.recv(1 << 16).decode())
        except OSError as error:
            raise Failure(f"redis-server did not report its counts: {error}") from error


def calls_of_get(info: str) -> int:
    lines = [line for line in info.splitlines() if line.startswith("cmdstat_get:calls=")]
    return int(lines[0].split("=")[1].split(",")[0]) if lines else 0


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        raise Failure(f"needs {name} (package {name})")
    return found


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port: int, child: subprocess.Popen) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and child.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise Failure(f"`{child.args[-1]}` did not start")
