"""The relay of ../../e2e/socketio-relay on Python's `python-socketio` and aiohttp. Prints the port that it listens on."""

import socket

import socketio
from aiohttp import web

server = socketio.AsyncServer(async_mode="aiohttp")


@server.on("join")
async def join(sid, message):
    await server.enter_room(sid, message["roomId"])


@server.on("code-change")
async def code(sid, message):
    await server.emit("code-change", {"code": message["code"]}, room=message["roomId"], skip_sid=sid)


@server.on("cursor-change")
async def cursor(sid, message):
    await server.emit("cursor-change", {"cursor": message["cursor"]}, room=message["roomId"], skip_sid=sid)


app = web.Application()
server.attach(app)

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(listener.getsockname()[1], flush=True)
    web.run_app(app, sock=listener, print=None)
