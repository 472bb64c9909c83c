"""A small chat room on the Python package `websockets`: a target that shares no code with headcount.

{"type":"join","room":"a","name":"ann"}  -> {"type":"joined","room":"a"} to the joiner
{"type":"say","text":"hi","id":7}        -> {"type":"said","from":"ann","text":"hi","id":7} to everyone in the room
{"type":"ask","text":"hi","id":7}        -> {"type":"answer","text":"hi","id":7} to the asker alone
binary                                   -> the same bytes, to the sender alone

Prints the port that it listens on: the first argument, by default a free port.
"""

import asyncio
import json
import sys
from collections import defaultdict

from websockets.asyncio.server import broadcast, serve
from websockets.exceptions import ConnectionClosed

rooms = defaultdict(set)


async def talk(socket):
    name, room = "nobody", set()
    try:
        async for data in socket:
            if isinstance(data, bytes):
                await socket.send(data)
                continue
            message = json.loads(data)
            if message["type"] == "join":
                room.discard(socket)
                name = message.get("name", name)
                room = rooms[message["room"]]
                room.add(socket)
                await socket.send(json.dumps({"type": "joined", "room": message["room"]}))
            elif message["type"] == "say":
                said = {"type": "said", "from": name, "text": message["text"], "id": message.get("id")}
                broadcast(room, json.dumps(said))
            elif message["type"] == "ask":
                await socket.send(json.dumps({"type": "answer", "text": message["text"], "id": message.get("id")}))
    except ConnectionClosed:
        pass  # the client has disconnected
    finally:
        room.discard(socket)


async def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    async with serve(talk, "127.0.0.1", port) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


asyncio.run(main())
