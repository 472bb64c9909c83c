"""The official NATS client for Python. Prints all messages on a subject as JSON when the standard input ends."""

import asyncio
import json
import sys

import nats


async def main(url, subject):
    client = await nats.connect(url)
    received = []

    async def note(message):
        text = json.loads(message.data)["text"]
        received.append([message.subject, message.headers["Nats-Msg-Id"], text])

    await client.subscribe(subject, cb=note)
    await client.flush()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await client.drain()
    print(json.dumps(received))


asyncio.run(main(*sys.argv[1:]))
