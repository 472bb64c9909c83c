"""Measures the clocks of four peers whose offsets are known, over links of random quality. Needs root.

    trials.py TRIALS SEED

Each peer runs in a network namespace and in a time namespace, which shifts its monotonic clock by -90 s to 3 h. Prints one
JSON object for each peer and trial: `shift` in nanoseconds, the properties of both directions (`there`, `back`), and the
`exchanges`, each with its four times in nanoseconds.
"""

import contextlib
import json
import pathlib
import random
import select
import socket
import struct
import subprocess
import sys
import time

from namespaces import address, inside, namespaces

HERE = pathlib.Path(__file__).parent
PEERS = 4
OBSERVER = PEERS + 1
PORT = 7000
PROBES = 100
INTERVAL = 0.002


def main(trials, seed):
    random.seed(seed)
    with namespaces(OBSERVER) as names, relay(names) as configure:
        with inside(names[-1]):
            own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        own.setblocking(False)
        for _ in range(trials):
            trial(names, configure, own)


def trial(names, configure, own):
    shifts = [random.randint(-90, 10_800) for _ in range(PEERS)]
    links = {}
    for number in range(1, PEERS + 1):
        links[f"{OBSERVER}-{number}"], links[f"{number}-{OBSERVER}"] = random_link()
    with contextlib.ExitStack() as peers:
        for number, (name, shift) in enumerate(zip(names, shifts), 1):
            peers.enter_context(peer(name, number, shift))
        configure(links)
        exchanges = probe(own, lambda: configure(cut(links)), lambda: configure(links))
    for number, shift in enumerate(shifts, 1):
        print(json.dumps({
            "shift": shift * 1_000_000_000,
            "there": links[f"{OBSERVER}-{number}"],
            "back": links[f"{number}-{OBSERVER}"],
            "exchanges": exchanges[number],
        }), flush=True)


def random_link():
    """Both directions of a link: 0.5 to 20 ms each on average, 20/80 to 80/20, with jitter and loss."""
    delay = 0.0005 * 40 ** random.random()
    there = random.uniform(0.2, 0.8)
    jitter, loss = random.uniform(0, 0.5) * delay, random.choice([0, 0.01, 0.05])
    return [{"delay": 2 * delay * share, "jitter": jitter, "loss": loss} for share in (there, 1 - there)]


def cut(links):
    return {way: link | {"loss": 1} for way, link in links.items()}


def probe(own, cut_links, heal_links):
    """Sends the questions, and collects the replies. All links are cut for the third quarter of the time."""
    exchanges = {number: [] for number in range(1, PEERS + 1)}
    begun = time.monotonic()
    for index in range(PROBES):
        if index == PROBES // 2:
            cut_links()
        if index == PROBES * 3 // 4:
            heal_links()
        receive(own, exchanges, begun + index * INTERVAL)
        for number in exchanges:
            own.sendto(struct.pack("!Q", time.monotonic_ns()), (address(number), PORT))
    receive(own, exchanges, time.monotonic() + 0.3)
    return exchanges


def receive(own, exchanges, until):
    while (wait := until - time.monotonic()) > 0:
        if select.select([own], [], [], wait)[0]:
            reply, (host, _) = own.recvfrom(64)
            returned = time.monotonic_ns()
            number = int(host.rsplit(".", 1)[1])
            exchanges[number].append([*struct.unpack("!QQQ", reply), returned])


@contextlib.contextmanager
def relay(names):
    """Starts the relay. Yields a function that sets the properties of the links."""
    command = [sys.executable, HERE / "relay.py", *names]
    with running(command, stdin=subprocess.PIPE) as process:
        def configure(links):
            process.stdin.write(json.dumps(links) + "\n")
            process.stdin.flush()
            expect(process, "configured")
        yield configure


@contextlib.contextmanager
def peer(name, number, shift):
    shifted = ["unshare", "--time", "--fork", "--kill-child", "--monotonic", str(shift)]
    command = ["ip", "netns", "exec", name, *shifted, sys.executable, HERE / "peer.py", address(number), str(PORT)]
    with running(command) as process:
        yield process


@contextlib.contextmanager
def running(command, **options):
    """Starts a process, waits until it is ready, and ends it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            expect(process, "ready")
            yield process
        finally:
            process.kill()


def expect(process, word):
    line = process.stdout.readline().strip()
    if line != word:
        raise RuntimeError(f"expected `{word}`, and got `{line}`")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
