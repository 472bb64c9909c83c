"""A listening socket that detects the first request."""

import selectors
import socket
import time

from common.failure import Failure

BEGINS = b"GET "
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class Listener:
    """Listens on a free port while the `with` block runs."""

    def __enter__(self) -> "Listener":
        self.door = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.door.setblocking(False)
        self.waits = selectors.DefaultSelector()
        self.waits.register(self.door, selectors.EVENT_READ)
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self.waits.get_map().values()):
            key.fileobj.close()
        self.waits.close()

    def first_request(self, limit_s: float) -> float:
        """Returns the time of the first request, on the monotonic clock. A connection without data does not count."""
        give_up = time.monotonic() + limit_s
        while (left := give_up - time.monotonic()) > 0:
            for key, _ in self.waits.select(left):
                at = time.monotonic()
                if key.fileobj is self.door:
                    self.accept()
                elif self.heard(key.fileobj).startswith(BEGINS):
                    key.fileobj.sendall(ANSWER)
                    return at
        raise Failure(f"no request arrived within {limit_s:.0f} s")

    def accept(self) -> None:
        connection, _ = self.door.accept()
        connection.setblocking(False)
        self.waits.register(connection, selectors.EVENT_READ)

    def heard(self, connection: socket.socket) -> bytes:
        try:
            heard = connection.recv(4096)
        except OSError:
            heard = b""
        if not heard:
            self.waits.unregister(connection)
            connection.close()
        return heard
