"""Runs nginx with one worker, which responds to every request with two letters and counts the requests."""

import http.client
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from common.failure import Failure
from common.place import SERVER_CORE, Place
from common.process import end_server

STARTS_WITHIN_S = 10

CONFIGURATION = """
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 1000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ return 200 "ok"; }}
    location = /counted {{ stub_status; }}
  }}
}}
"""


class Nginx:
    """Runs nginx on the server's core while the `with` block runs."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def __enter__(self) -> "Nginx":
        program = self.place.program("nginx")
        if program is None:
            raise Failure("nginx is needed (package nginx-light; bench/install.sh downloads it)")
        self.folder = tempfile.TemporaryDirectory(prefix="headcount-bench-nginx-")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        configuration = Path(self.folder.name) / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(folder=self.folder.name, port=port), encoding="utf-8")
        command = [program, "-e", f"{self.folder.name}/error.log", "-p", self.folder.name, "-c", configuration]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.child = subprocess.Popen(self.place.on_core(SERVER_CORE, command), start_new_session=True, **quiet)
        self.pid, self.asked = self.child.pid, 0
        self.connection = http.client.HTTPConnection(f"127.0.0.1:{port}", timeout=STARTS_WITHIN_S)
        try:
            self.must_start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        end_server(self.child)
        self.folder.cleanup()

    def must_start(self) -> None:
        give_up = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                self.count()
                return
            except Failure as failure:
                if self.child.poll() is not None or give_up < time.monotonic():
                    said = (Path(self.folder.name) / "error.log").read_text(encoding="utf-8").strip()
                    raise Failure(f"nginx did not start: {said or failure}") from failure
                time.sleep(0.05)

    def count(self) -> int:
        """Returns the number of requests so far, without the requests that read the count."""
        try:
            self.connection.request("GET", "/counted")
            body = self.connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Failure(f"nginx did not report its count: {error}") from error
        self.asked += 1
        # "Active connections: 1 \nserver accepts handled requests\n 1 1 7 \n…"
        return int(body.splitlines()[2].split()[2]) - self.asked


def free_port() -> int:
    """Returns a free port, because nginx cannot choose and report a port itself."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
