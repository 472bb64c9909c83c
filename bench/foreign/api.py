"""An API on PostgreSQL with FastAPI: a pool of database connections, and a query that takes 20 ms there.

    GET /wait   a query that sleeps for 20 ms in the database
    GET /work   2 ms of Python in the event loop

Prints the port that it listens on. DATABASE is the URL of the database, POOL the number of connections.
"""

import os
import socket
import time
from contextlib import asynccontextmanager

import asyncpg
import uvicorn
from fastapi import FastAPI


@asynccontextmanager
async def lifespan(app):
    size = int(os.environ.get("POOL", "5"))
    url = os.environ.get("DATABASE")
    app.state.pool = await asyncpg.create_pool(url, min_size=size, max_size=size) if url else None
    yield
    if app.state.pool:
        await app.state.pool.close()


app = FastAPI(lifespan=lifespan)


@app.get("/wait")
async def wait():
    await app.state.pool.fetchval("SELECT pg_sleep(0.02)")
    return {}


@app.get("/work")
async def work():
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        pass
    return {}


if __name__ == "__main__":
    # asyncio sets TCP_NODELAY only on sockets that name their protocol. Without it, responses wait for a delayed
    # acknowledgement, 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
