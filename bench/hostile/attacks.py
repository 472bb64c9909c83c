"""Attacks of hostile clients. Each attack is a process that repeats the attack until the process is ended."""

import contextlib
import os
import random
import socket
import time
from collections.abc import Callable

from common.place import GENERATOR_CORE
from hostile.raw import (
    BINARY,
    DELETES_TYPES,
    PING,
    TEXT,
    connected,
    frame,
    mutated,
    nested_types,
    nested_value,
    request,
    websocket,
    yjs,
)
from hostile.systems import System

HELD = 300
"""Number of concurrent connections that each process of a flood opens."""
PAUSE_S = 0.005


def repeated(attack: Callable[[System, random.Random], None], system: System, seed: int) -> None:
    """Repeats an attack. A system may refuse or close the connection, which is correct. The attack runs on the generator's
    core, with a lower priority than the observer."""
    os.sched_setaffinity(0, {GENERATOR_CORE})
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.nice(10)
    system.honest = None
    dice = random.Random(seed)
    while True:
        with contextlib.suppress(OSError):
            attack(system, dice)
        time.sleep(PAUSE_S)


def crowd(system: System, size: int, seconds: float) -> None:
    """Runs honest clients, who send and receive messages for the given time."""
    dice, ends = random.Random(1), time.monotonic() + seconds
    streams = [websocket(system.address, system.path(dice)) for _ in range(size)]
    try:
        for stream in streams:
            stream.setblocking(False)
        while time.monotonic() < ends:
            for stream in streams:
                with contextlib.suppress(OSError):
                    stream.sendall(frame(BINARY if system.binary else TEXT, system.messages(dice)[0]))
                with contextlib.suppress(OSError):
                    stream.recv(1 << 20)
    finally:
        for stream in streams:
            stream.close()


def mutated_frames(system: System, dice: random.Random) -> None:
    """Sends messages of the system's own protocol, changed at random. Sometimes the frame itself is changed."""
    with websocket(system.address, system.path(dice)) as stream:
        for _ in range(50):
            message = dice.choice(system.messages(dice))
            whole = frame(BINARY if system.binary else TEXT, mutated(dice, message))
            stream.sendall(mutated(dice, whole) if dice.random() < 0.2 else whole)


def deep_values(system: System, dice: random.Random) -> None:
    """Sends deeply nested data, up to the message limit. For Yjs, nested values and types, which are then deleted;
    otherwise JSON."""
    with websocket(system.address, system.path(dice)) as stream:
        depth = int(10 ** dice.uniform(1, 5.6))
        if system.binary:
            attacks = [nested_value(depth), nested_types(min(depth, 100_000)), DELETES_TYPES]
            for update in attacks:
                stream.sendall(frame(BINARY, yjs(update)))
        else:
            stream.sendall(frame(TEXT, b'{"type":' + b"[" * depth + b"]" * depth + b"}"))
        with contextlib.suppress(TimeoutError):
            stream.settimeout(0.5)
            while stream.recv(65536):
                pass


def mutated_requests(system: System, dice: random.Random) -> None:
    """Sends requests whose bodies are changed at random, and reads the responses."""
    with connected(system.address) as stream:
        for method, path, body in system.requests(dice):
            stream.sendall(request(method, path, mutated(dice, body), system.token))
            with contextlib.suppress(TimeoutError):
                stream.settimeout(0.1)
                stream.recv(65536)


def unread_responses(system: System, dice: random.Random) -> None:
    """Opens connections that send requests one after the other, but never read the responses."""
    streams = []
    try:
        for _ in range(20):
            stream = connected(system.address)
            stream.setblocking(False)
            streams.append(stream)
        ends = time.monotonic() + 15
        while time.monotonic() < ends:
            for stream in streams:
                with contextlib.suppress(OSError):
                    stream.send(request(*dice.choice(system.requests(dice)), system.token))
            time.sleep(0.05)
    finally:
        for stream in streams:
            stream.close()


def pings(system: System, dice: random.Random) -> None:
    """Sends pings as fast as possible, without reading the pongs."""
    with websocket(system.address, system.path(dice)) as stream:
        burst = frame(PING, b"x" * 125) * 1000
        ends = time.monotonic() + 20
        while time.monotonic() < ends:
            stream.sendall(burst)


def slow_readers(system: System, dice: random.Random) -> None:
    """Opens connections that send, so that there are messages to receive, but never read."""
    streams = []
    try:
        for _ in range(20):
            stream = websocket(system.address, system.path(dice))
            stream.settimeout(0.2)
            streams.append(stream)
        ends = time.monotonic() + 15
        while time.monotonic() < ends:
            for stream in streams:
                with contextlib.suppress(OSError):
                    stream.sendall(b"".join(frame(BINARY if system.binary else TEXT, m) for m in system.messages(dice)))
            time.sleep(0.05)
    finally:
        for stream in streams:
            stream.close()


def half_requests(system: System, dice: random.Random) -> None:
    """Sends requests with heads that never end and bodies that never arrive."""
    halves = [b"GET /hea", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nhalf", b"\x16\x03\x01\x02\x00", b""]
    held(system, dice, lambda stream: stream.sendall(dice.choice(halves)))


def connection_flood(system: System, dice: random.Random) -> None:
    """Opens as many connections as the system accepts, one after the other, repeatedly."""
    held(system, dice, lambda _: None)


def held(system: System, dice: random.Random, begin: Callable[[socket.socket], None]) -> None:
    streams = []
    try:
        for _ in range(HELD):
            stream = connected(system.address)
            streams.append(stream)
            begin(stream)
        time.sleep(dice.uniform(0, 2))
    finally:
        for stream in streams:
            stream.close()


ATTACKS = [
    mutated_frames,
    deep_values,
    mutated_requests,
    unread_responses,
    pings,
    slow_readers,
    half_requests,
    connection_flood,
]
