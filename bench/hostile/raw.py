"""Sends a hostile client's bytes over HTTP and WebSocket. No library is used, because it would correct them."""

import base64
import os
import random
import socket
import struct

PATIENCE_S = 5

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


def connected(address: str) -> socket.socket:
    """Opens a TCP connection. All errors are `OSError`."""
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=PATIENCE_S)


def request(method: str, path: str, body: bytes, token: str) -> bytes:
    """Builds an HTTP request."""
    head = f"{method} {path} HTTP/1.1\r\nHost: hostile\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Authorization: Bearer {token}\r\n\r\n".encode() + body


def frame(opcode: int, payload: bytes, *, last: bool = True) -> bytes:
    """Builds a masked frame. The mask is zero, so the payload is sent unchanged."""
    length = len(payload)
    head = bytes([opcode | (0x80 if last else 0)])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 1 << 16:
        head += b"\xfe" + struct.pack(">H", length)
    else:
        head += b"\xff" + struct.pack(">Q", length)
    return head + bytes(4) + payload


def websocket(address: str, path: str) -> socket.socket:
    """Opens a WebSocket. Raises `OSError` if the server refuses the handshake."""
    stream = connected(address)
    key = base64.b64encode(os.urandom(16)).decode()
    request = (
        f"GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    )
    try:
        stream.sendall(request.encode())
        answer = stream.recv(4096)
    except OSError:
        stream.close()
        raise
    if not answer.startswith(b"HTTP/1.1 101"):
        stream.close()
        raise ConnectionRefusedError(answer[:40])
    return stream


def mutated(dice: random.Random, payload: bytes) -> bytes:
    """Returns the payload with a few bytes changed, cut off, doubled or nested."""
    changed = bytearray(payload)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(changed) + 1)
        match dice.randrange(5):
            case 0:
                changed[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                changed[at : at + 1] = dice.choice([b"\xff", b"\x00", b"\x75", b"\x76", b"\xff" * 9])
            case 2:
                del changed[at:]
            case 3:
                changed[at:at] = changed[: dice.randrange(len(changed) + 1)]
            case 4:
                changed[at:at] = b"\x75\x01" * int(10 ** dice.uniform(0, 5))
    return bytes(changed)


def nested_value(depth: int) -> bytes:
    """Returns a Yjs update with one array nested in arrays."""
    return b"\x01\x01\x07\x00\x08\x01\x01v\x01" + b"\x75\x01" * depth + b"\x7e\x00"


def nested_types(count: int) -> bytes:
    """Returns a Yjs update of arrays, each inside the previous one."""
    blocks = b"\x07\x01\x01a\x00" + b"".join(b"\x07\x00\x07" + varint(n) + b"\x00" for n in range(count - 1))
    return b"\x01" + varint(count) + b"\x07\x00" + blocks + b"\x00"


DELETES_TYPES = b"\x00\x01\x07\x01\x00\x01"
"""A Yjs update that deletes the first of the arrays."""


def yjs(update: bytes) -> bytes:
    """Returns an update as a message of the sync protocol."""
    return b"\x00\x02" + varint(len(update)) + update


def varint(number: int) -> bytes:
    written = b""
    while number >= 0x80:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])
