"""The server of ../socketio-room, based on Python's `python-socketio`. Prints the port that it listens on."""

import asyncio
import os
import sys
import time

import socketio
from aiohttp import web

server = socketio.AsyncServer(
    async_mode="aiohttp",
    ping_interval=float(os.environ.get("PING_INTERVAL", "25000")) / 1000,
    ping_timeout=float(os.environ.get("PING_TIMEOUT", "20000")) / 1000,
)


# The server's own counts.
counts = {"connected": 0, "disconnected": 0, "asked": 0}


@server.on("connect")
async def connected(sid, environ, auth=None):
    counts["connected"] += 1


@server.on("disconnect")
async def disconnected(sid, *_):
    counts["disconnected"] += 1


async def tell_counts(request):
    return web.json_response(counts)


def serve(namespace):
    def on(event):
        return server.on(event, namespace=namespace)

    @on("say")
    async def say(sid, text):
        said = {"text": text} if isinstance(text, str) else {"bytes": text}
        await server.emit("said", said, namespace=namespace)

    @on("ask")
    async def ask(sid, *all_of_it):
        counts["asked"] += 1
        return all_of_it

    @on("ask me")
    async def ask_me(sid, n):
        return await server.call("question", n, to=sid, namespace=namespace)

    @on("transport")
    async def transport(sid):
        return server.transport(sid, namespace=namespace)

    @on("leave me")
    async def leave_me(sid):
        await server.disconnect(sid, namespace=namespace)

    @on("cut me")
    async def cut_me(sid):
        await server.eio.disconnect(server.manager.eio_sid_from_sid(sid, namespace))

    @on("silence")
    async def silence(sid):
        await asyncio.sleep(3600)

    @on("sleep")
    async def sleep(sid, ms):
        time.sleep(ms / 1000)  # on purpose: blocks the event loop


serve("/")
serve("/admin")


@server.on("connect", namespace="/admin")
async def connect(sid, environ, auth):
    if (auth or {}).get("token") != "secret":
        raise socketio.exceptions.ConnectionRefusedError("not authorized")


async def main():
    app = web.Application()
    server.attach(app)
    app.router.add_get("/counts", tell_counts)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
