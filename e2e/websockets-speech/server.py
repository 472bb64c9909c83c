"""A transcription service on the Python package `websockets`: a target that shares no code with headcount.

{"type":"audio","data":"<base64 of 16-bit PCM, 16 kHz>"}
    -> {"type":"partial","text":"word"} for a chunk with sound, and an empty text for silence
    -> {"type":"final","text":"word"} for the chunk that completes 300 ms of silence after sound
{"type":"stop"}
    -> closes the connection

Each reply is sent 50 ms after its chunk was received, in order. Prints the port that it listens on.
"""

import array
import asyncio
import base64
import json

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

LATENCY = 0.05
PAUSE_MS = 300
SILENT = 328


async def send_in_time(socket, replies):
    while True:
        due, reply = await replies.get()
        await asyncio.sleep(due - asyncio.get_running_loop().time())
        await socket.send(json.dumps(reply))


async def listen(socket):
    replies = asyncio.Queue()
    sender = asyncio.create_task(send_in_time(socket, replies))
    silence, speaks = 0, False
    try:
        async for text in socket:
            due = asyncio.get_running_loop().time() + LATENCY
            message = json.loads(text)
            if message["type"] == "stop":
                break
            samples = array.array("h", base64.b64decode(message["data"], validate=True))
            if max(map(abs, samples)) >= SILENT:
                silence, speaks = 0, True
                reply = {"type": "partial", "text": "word"}
            else:
                silence += len(samples) * 1000 // 16_000
                ends = speaks and silence >= PAUSE_MS
                reply = {"type": "final", "text": "word"} if ends else {"type": "partial", "text": ""}
                speaks = speaks and not ends
            replies.put_nowait((due, reply))
    except ConnectionClosed:
        pass  # the client has disconnected
    finally:
        sender.cancel()


async def main():
    async with serve(listen, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


asyncio.run(main())
