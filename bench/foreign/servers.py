"""Servers that others wrote, each with its scenario and the cause that must limit it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from brokers.servers import NatsServer, RedisServer, free_port, program, wait_for
from common.failure import Failure
from common.place import BENCH, ROOT, SERVER_CORE, Place
from common.process import end_group
from common.quota import quota
from common.server import Server

HERE = BENCH / "foreign"
E2E = ROOT / "e2e"
PAGE_BYTES = 100_000
PART = 0.2
"""The quota of servers on a part of a core."""
SLOW_BUDGET_S = 240
"""The time of a search if users take long to connect."""


@dataclass(frozen=True)
class Running:
    """A running server: its address, its process, and the reader of its own figures."""

    url: str
    pid: int
    own: Callable[[], str] = lambda: ""


@dataclass(frozen=True)
class Foreign:
    """A server, its scenario, and the cause that its configuration makes certain."""

    words: str
    scenario: str
    cause: str
    start: Callable[[Place], AbstractContextManager[Running]]
    environment: dict[str, str] = field(default_factory=dict)
    first: int | None = None
    """The first load, near enough to the ceiling for a search of a minute or two."""
    search: str | None = None
    """What the search varies, if the scenario leaves it open."""
    group: int = 5
    """The number of users of a group, if the search varies groups."""
    users: int | None = None
    """The most users at a time, if the scenario creates no more of them."""
    budget_s: int = 100
    """The time of the search."""


def fast(server: Foreign) -> list[Foreign]:
    """A server on a core, where the generator is full first, and on a part of a core, where the server is."""
    part = replace(
        server, words=f"{server.words}, {PART:g} cores", cause="cpu_quota", start=lambda place: limited(place, server),
        first=server.first and round(server.first * PART), budget_s=SLOW_BUDGET_S,
    )
    return [server, part]


@contextmanager
def limited(place: Place, server: Foreign) -> Iterator[Running]:
    """The server with a CPU quota."""
    with quota(PART) as limit, server.start(place) as running:
        limit.limit(running.pid)
        yield running


@contextmanager
def announced(place: Place, command: list, environment: dict[str, str] | None = None) -> Iterator[Running]:
    """A server that prints its port."""
    with Server(str(command[-1]), place, command, environment) as server:
        yield Running(server.url, server.pid)


@contextmanager
def broker(place: Place, kind: type) -> Iterator[Running]:
    with kind(place) as server:
        yield Running(server.url, server.pid)


def python() -> Path:
    """A Python with the packages of `requirements.txt`, in `bench/foreign/.venv` or `FOREIGN_PYTHON`."""
    found = Path(os.environ.get("FOREIGN_PYTHON", HERE / ".venv/bin/python"))
    if not found.exists():
        raise Failure(f"needs {found}: python3 -m venv {HERE}/.venv, then pip install -r {HERE}/requirements.txt")
    return found


def node(script: Path) -> list:
    if not (E2E / "node_modules").exists():
        raise Failure("needs the Node packages of e2e: run e2e/install.sh")
    return [program("node"), script]


NGINX = """
daemon off; master_process off; pid nginx.pid; error_log error.log;
events {{ worker_connections 2000; }}
http {{
  access_log off; keepalive_requests 1000000; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  limit_req_zone $server_port zone=all:1m rate=200r/s; limit_req_status 429;
  server {{
    listen 127.0.0.1:{port};
    root {folder};
    location /compressed {{ alias {folder}/page.html; default_type text/html; gzip on; gzip_comp_level 9; }}
    location /limited {{ alias {folder}/page.html; limit_req zone=all burst=20 nodelay; }}
  }}
}}
"""


@contextmanager
def nginx(place: Place) -> Iterator[Running]:
    """nginx with one process. `/compressed` compresses a page for each request, `/limited` allows 200 requests/s."""
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        folder, port = Path(name), free_port()
        folder.chmod(0o755)
        words = " ".join(f"word{at * 7919 % 10007}" for at in range(PAGE_BYTES // 9))
        (folder / "page.html").write_text(f"<p>{words}</p>", encoding="utf-8")
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(port=port, folder=folder), encoding="utf-8")
        with child(place, [program("nginx"), "-p", folder, "-c", config], port) as pid:
            yield Running(f"http://127.0.0.1:{port}", pid)


@contextmanager
def child(place: Place, command: list, port: int, user: str | None = None) -> Iterator[int]:
    process = subprocess.Popen(
        place.on_core(SERVER_CORE, command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True, user=user,
    )
    try:
        wait_for(port, process)
        yield process.pid
    finally:
        end_group(process)


def of_postgres(name: str) -> Path:
    """A program of the newest PostgreSQL. Debian has it outside of `PATH`."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    if not found:
        raise Failure(f"needs {name} (package postgresql)")
    return found[-1]


@contextmanager
def postgres_api(place: Place) -> Iterator[Running]:
    """The API with five connections to a new PostgreSQL database."""
    user = "postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        folder, port = Path(name) / "data", free_port()
        if user:
            shutil.chown(name, user)
        flags = ["-A", "trust", "-U", "postgres", "-D", folder]
        subprocess.run([of_postgres("initdb"), *flags], check=True, capture_output=True, timeout=60, user=user, cwd=name)
        command = [of_postgres("postgres"), "-D", folder, "-p", port, "-h", "127.0.0.1", "-k", name]
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        with child(place, command, port, user), announced(place, [python(), HERE / "api.py"], {"DATABASE": url}) as api:

            def sessions() -> str:
                query = "select state, count(*) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid() group by 1"
                asked = subprocess.run(["psql", "-XAt", url, "-c", query], capture_output=True, text=True, timeout=20)
                return "pg_stat_activity: " + ", ".join(asked.stdout.split())

            time.sleep(1)  # the API opens its pool after it has announced its port
            yield Running(api.url, api.pid, sessions)


def all_servers() -> list[Foreign]:
    return [
        Foreign("nginx, compresses 100 kB per request", "page.ts", "saturated_thread", nginx, {"PAGE": "/compressed"}),
        Foreign("nginx, limit_req 200 r/s", "page.ts", "rate_limiter", nginx, {"PAGE": "/limited"}),
        Foreign("redis-server, SORT of 10,000 elements", "commands-redis.ts", "saturated_thread", lambda place: broker(place, RedisServer)),
        *fast(Foreign(
            "nats-server, rooms of 10", "rooms-nats.ts", "generator", lambda place: broker(place, NatsServer), first=60, group=10,
        )),
        *fast(Foreign(
            "ws on Node, rooms of 5", "rooms-ws.ts", "generator",
            lambda place: announced(place, node(E2E / "ws-room/server.mjs")), first=100,
        )),
        Foreign(
            "Socket.IO on Node, rooms of 5", "rooms-socketio.ts", "saturated_thread",
            lambda place: announced(place, node(E2E / "socketio-relay/server.mjs")), first=100, budget_s=SLOW_BUDGET_S,
        ),
        Foreign(
            "python-socketio, rooms of 5", "rooms-socketio.ts", "saturated_thread",
            lambda place: announced(place, [python(), HERE / "relay.py"]), first=20,
        ),
        Foreign(
            "FastAPI, 2 ms of Python per request", "page.ts", "saturated_thread",
            lambda place: announced(place, [python(), HERE / "api.py"]), {"PAGE": "/work"},
        ),
        Foreign("FastAPI, a pool of 5 to PostgreSQL", "page.ts", "upstream_pool", postgres_api, {"PAGE": "/wait"}),
        *fast(Foreign("centrifuge, rooms of 10", "rooms-centrifuge.ts", "generator", centrifuge, first=30, group=10)),
    ]


@contextmanager
def centrifuge(place: Place) -> Iterator[Running]:
    """The server of `e2e/centrifuge`, built with Go."""
    with tempfile.TemporaryDirectory(prefix="headcount-bench-") as name:
        built = Path(os.environ.get("FOREIGN_CENTRIFUGE", f"{name}/centrifuge"))
        if not built.exists():
            subprocess.run(["go", "build", "-o", built, "."], cwd=E2E / "centrifuge", check=True, timeout=600)
        with announced(place, [built]) as running:
            yield running


if __name__ == "__main__":
    sys.exit("this is a module: run `python3 bench foreign`")
