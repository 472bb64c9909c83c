"""Forwards packets between namespaces, with a delay.

    relay.py NAMESPACE...

Each line of standard input is a JSON object with the properties of all links. Its keys are `FROM-TO`, with the numbers of
the namespaces. Its values have `delay` and `jitter` (the mean of an exponential delay in addition), both in seconds, and
`loss`, a share from 0 to 1: 1 is a cut. Packets keep their order. Ends when standard input ends.
"""

import heapq
import itertools
import json
import os
import random
import select
import sys
import time

from namespaces import tunnel

MTU = 2048
DESTINATION = 19  # the last byte of the destination in an IPv4 header


class Relay:
    def __init__(self, names):
        self.devices = {number: tunnel(name, number) for number, name in enumerate(names, 1)}
        self.links = {}
        self.latest = {}
        self.queue = []
        self.order = itertools.count()

    def run(self):
        print("ready", flush=True)
        while True:
            due = self.queue[0][0] - time.monotonic() if self.queue else None
            wait = None if due is None else max(due, 0)
            ready, _, _ = select.select([sys.stdin, *self.devices.values()], [], [], wait)
            if sys.stdin in ready and not self.configure():
                return
            for number, device in self.devices.items():
                if device in ready:
                    self.read(number, device)
            self.forward()

    def configure(self):
        line = sys.stdin.readline()
        if line:
            self.links = json.loads(line)
            print("configured", flush=True)
        return bool(line)

    def read(self, number, device):
        packet = os.read(device, MTU)
        if packet[0] >> 4 != 4:
            return
        way = f"{number}-{packet[DESTINATION]}"
        link = self.links.get(way)
        if link is None or random.random() < link["loss"]:
            return
        jitter = random.expovariate(1 / link["jitter"]) if link["jitter"] else 0
        due = max(time.monotonic() + link["delay"] + jitter, self.latest.get(way, 0))
        self.latest[way] = due
        heapq.heappush(self.queue, (due, next(self.order), packet))

    def forward(self):
        while self.queue and self.queue[0][0] <= time.monotonic():
            _, _, packet = heapq.heappop(self.queue)
            os.write(self.devices[packet[DESTINATION]], packet)


if __name__ == "__main__":
    Relay(sys.argv[1:]).run()
