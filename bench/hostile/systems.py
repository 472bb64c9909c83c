"""The services under attack, and the messages that hostile and honest clients send to each of them."""

import contextlib
import http.client
import json
import random
from dataclasses import dataclass, field

from common.failure import Failure
from hostile.raw import PATIENCE_S, yjs

HELLO = b'{"type":"say","text":"' + b"hello " * 100 + b'"}'
INSERTS = b"\x01\x01%s\x00\x04\x01\x04code\x05hello\x00"
"""A Yjs update in which a client, identified by two bytes, writes into the text."""

HONEST = ("127.0.0.2", 0)
"""Source address of honest clients. Services limit clients by address, and the attackers exhaust the limit of their own."""

NAMES = ["bridge", "editor", "marketplace", "registry"]

IDENTITIES = 200
"""Number of identities in the attacked namespace of the registry."""

NAMESPACES = {"hostile": {}, "honest": {"token": "honest"}}
"""Namespaces of the registry. Attackers and honest clients have one each, because its limits are for a namespace."""


@dataclass
class System:
    name: str
    address: str
    binary: bool
    token: str = ""
    honest: http.client.HTTPConnection | None = field(default=None, repr=False)

    def path(self, dice: random.Random) -> str:
        """Returns the path of a WebSocket for a new client."""
        number = dice.randrange(1 << 30)
        match self.name:
            case "bridge":
                return f"/bridge/ws?user=eve{number}&room=Tower"
            case "editor":
                return f"/yjs/hostile-{number % 20}"
            case "registry":
                return f"/v1/hostile/inbox/ws?identity=eve{number % IDENTITIES}"
            case _:
                return f"/api/notifications/ws?access_token={self.token}"

    def messages(self, dice: random.Random) -> list[bytes]:
        """Returns valid messages of a client."""
        if self.name == "editor":
            client = bytes([0x80 | dice.randrange(128), 1 + dice.randrange(127)])
            return [yjs(INSERTS % client), b"\x00\x00\x01\x00", b"\x01\x0a\x01\x07\x01\x06{\"a\":1}"]
        if self.name == "registry":
            return [json.dumps({"type": "ack", "ids": [f"{dice.randrange(1 << 30):x}"]}).encode()]
        return [HELLO, b'{"type":"move","room":"Garden"}', b'{"type":"end"}'] if self.name == "bridge" else [HELLO]

    def requests(self, dice: random.Random) -> list[tuple[str, str, bytes]]:
        """Returns valid requests of a client: method, path and body."""
        if self.name == "registry":
            name = f"eve{dice.randrange(IDENTITIES)}"
            everyone = {"filter": {}, "timeout_ms": 0}
            bodies = {
                "multicast": everyone | {"payload": "x" * 100_000, "results": "none"},
                "enumerate": {"limit": 10_000},
                "acknowledge": {"identity": name, "ids": [f"{number:x}" for number in range(4096)]},
                "register": {"identity": name, "replace": True, "metadata": {"a": [[[0]]] * 300, "b": "x" * 10_000}},
            }
            posts = [("POST", f"/v1/hostile/{name}", json.dumps(body).encode()) for name, body in bodies.items()]
            kept = everyone | {"payload": 1, "delivery": "at_least_once"}
            streams = [f"/v1/hostile/inbox/events?identity={name}", "/v1/hostile/watch"]
            return [
                *posts,
                ("POST", "/v1/hostile/multicast", json.dumps(kept).encode()),
                *[("GET", path, b"") for path in streams],
            ]
        method, path, body, _ = self.request()
        return [(method, path, (body or "").encode()), ("GET", "/healthz", b""), ("GET", "/openapi.json", b"")]

    def serves(self) -> None:
        """Sends a request of an honest client on its own connection, which stays open. Raises `Failure` if it is not
        served."""
        method, path, body, wanted = self.request()
        headers = {"Content-Type": "application/json"} if body else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            if self.honest is None:
                self.honest = http.client.HTTPConnection(self.address, timeout=PATIENCE_S, source_address=HONEST)
            self.honest.request(method, path, body, headers)
            answer = self.honest.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException) as error:
            if self.honest is not None:
                self.honest.close()
            self.honest = None
            raise Failure(f"an honest client was not served: {error}") from error
        if answer.status != wanted:
            raise Failure(f"an honest client got status {answer.status}: {said[:200]!r}")

    def forgets(self) -> None:
        """Removes what the attackers stored within the limits, and what would otherwise stay until it expires. The names
        stay, as before the attack."""
        if self.name == "registry":
            for number in range(IDENTITIES):
                asked("/v1/hostile/unregister", {"identity": f"eve{number}"}, self.address)
                registers(number, self.address)

    def request(self) -> tuple[str, str, str | None, int]:
        match self.name:
            case "bridge":
                return "POST", "/bridge/chat", json.dumps({"user": "ada", "room": "Library", "message": "hello"}), 200
            case "editor":
                return "GET", "/", None, 200
            case "registry":
                body = {"identity": "ada", "metadata": {"status": "online"}, "replace": True}
                return "POST", "/v1/honest/register", json.dumps(body), 200
            case _:
                return "GET", "/api/users/me", None, 200


def prepared(name: str, address: str) -> System:
    """Returns the system. For the marketplace, first creates a user with an account; for the registry, identities."""
    system = System(name, address, binary=name == "editor")
    if name == "marketplace":
        account = {"email": "ada@example.test", "password": "correct horse battery", "name": "Ada", "role": "buyer"}
        asked("/api/auth/register", account, address)
        login = {"email": account["email"], "password": account["password"]}
        system.token = asked("/api/auth/login", login, address)["accessToken"]
    if name == "registry":
        system.token = NAMESPACES["honest"]["token"]
        for number in range(IDENTITIES):
            registers(number, address)
    return system


def registers(number: int, address: str) -> None:
    asked("/v1/hostile/register", {"identity": f"eve{number}", "metadata": {"n": number}}, address)


def asked(path: str, body: dict, address: str) -> dict:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read()
    if answer.status >= 300:
        raise Failure(f"{path} responded with status {answer.status}: {said[:200]!r}")
    return json.loads(said)
