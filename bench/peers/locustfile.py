"""Locust: each user begins a request every PACE seconds, or without a pause if PACE is 0."""

import os

from locust import FastHttpUser, constant, constant_pacing, task

PACE = float(os.environ["PACE"])


class Visitor(FastHttpUser):
    wait_time = constant_pacing(PACE) if PACE else constant(0)

    @task
    def visit(self) -> None:
        self.client.get(os.environ["URL"])
