"""Users of the transcription service for Locust, with the classes and metric names of the field report.

    pip install locust websocket-client
    locust -f locustfile.py --headless --host http://127.0.0.1:8000 -u 100 -r 10 -t 60s TranscriptionUser

Like the report's clients, each user waits for the reply to a chunk before it sends the next one. This closed loop slows
down with the service, so it cannot show that a service falls behind live speech; the paced streams of headcount can.
Unlike the report's clients, all audio is made once, and a failure counts with the time until it happened.

Name a class on the command line. Otherwise, Locust runs all three in equal parts.
"""

import base64
import json
import os
import random
import time

# Locust replaces the blocking functions of the standard library, so it is imported before `websocket`.
from locust import HttpUser, between, events, task

import websocket

CHUNK = 640  # bytes: 20 ms of 16-bit samples at 16 kHz
SECOND = 32_000
TIME_LIMIT = 10  # seconds, for connecting and for each reply

CHUNKS = [
    json.dumps({"type": "audio", "data": base64.b64encode(os.urandom(CHUNK)).decode()})
    for _ in range(50)
]
RECORDINGS = [os.urandom(seconds * SECOND) for seconds in (1, 2, 3)]


def record(name, begun, error=None, length=0):
    took = (time.perf_counter() - begun) * 1000
    events.request.fire(
        request_type="WebSocket",
        name=name,
        response_time=took,
        response_length=length,
        exception=error,
        context={},
    )


def receive(socket, expected):
    """Receives a message of one of the expected types."""
    message = socket.recv()
    kind = json.loads(message).get("type") if message else "end of the connection"
    if kind not in expected:
        raise RuntimeError(f"received {message or kind}")
    return len(message)


class ServiceUser(HttpUser):
    """What all classes of users have in common."""

    abstract = True

    def stream(self, chunks):
        """Streams chunks. Returns the latencies of their replies in milliseconds. `None` if the session failed."""
        begun = time.perf_counter()
        url = self.host.replace("http", "ws", 1) + "/v1/transcribe/stream"
        socket = None
        try:
            socket = websocket.create_connection(url, timeout=TIME_LIMIT)
            receive(socket, {"session_start"})
        except Exception as error:
            record("connect", begun, error)
            if socket is not None:
                socket.close()
            return None
        record("connect", begun)
        try:
            latencies = []
            for number in range(chunks):
                latency = self.chunk(socket, number)
                if latency is None:
                    return None
                latencies.append(latency)
            socket.send(json.dumps({"type": "stop"}))
            return latencies
        finally:
            socket.close()

    def chunk(self, socket, number):
        begun = time.perf_counter()
        try:
            socket.send(CHUNKS[number % len(CHUNKS)])
            length = receive(socket, {"partial", "final"})
        except Exception as error:
            record("audio_chunk", begun, error)
            return None
        record("audio_chunk", begun, length=length)
        return (time.perf_counter() - begun) * 1000

    def post(self):
        headers = {"Content-Type": "application/octet-stream"}
        self.client.post("/v1/transcribe", data=random.choice(RECORDINGS), headers=headers)


class TranscriptionUser(ServiceUser):
    """Streams, posts recordings, and asks for the health of the service."""

    wait_time = between(0.5, 2.0)

    @task(7)
    def speak(self):
        latencies = self.stream(random.randint(50, 250))
        if latencies:
            # As in the report, the time of this metric is the mean latency of the chunks.
            events.request.fire(
                request_type="WebSocket",
                name="session_complete",
                response_time=sum(latencies) / len(latencies),
                response_length=len(latencies),
                exception=None,
                context={},
            )

    @task(3)
    def transcribe(self):
        self.post()

    @task(1)
    def health(self):
        self.client.get("/v1/health")


class WebSocketOnlyUser(ServiceUser):
    """Only streams."""

    wait_time = between(0.1, 0.5)

    @task
    def speak(self):
        self.stream(random.randint(100, 500))


class RESTOnlyUser(ServiceUser):
    """Only posts recordings."""

    wait_time = between(0.1, 0.5)

    @task
    def transcribe(self):
        self.post()
