"""Locust with websocket-client: each user sends a message to /echo, waits for the reply, and repeats."""

import os
import time

import websocket
from locust import User, constant, task


class Caller(User):
    wait_time = constant(0)

    def on_start(self) -> None:
        self.socket = websocket.create_connection(os.environ["WS_URL"])

    @task
    def call(self) -> None:
        begun = time.perf_counter()
        self.socket.send("ping")
        heard = self.socket.recv()
        took_ms = (time.perf_counter() - begun) * 1000
        self.environment.events.request.fire(
            request_type="WS", name="echo", response_time=took_ms, response_length=len(heard), exception=None, context={}
        )
