"""Describes the machine on which a result was measured."""

import datetime
import os
import platform
import shlex
import sys

from common.place import GENERATOR_CORE, SERVER_CORE, Place
from common.tools import Setting


def described(place: Place, settings: list[Setting], load_before: str) -> str:
    """Formats a paragraph with the machine, the versions, the machine's load and the command."""
    now = datetime.datetime.now(datetime.timezone.utc)
    tools = dict.fromkeys(setting.tool for setting in settings)
    versions = ", ".join(f"{tool} {place.version(tool)}" for tool in tools)
    first = " Both ran with real-time priority (`--first`)." if place.goes_first else ""
    return (
        f"Server on core {SERVER_CORE}, generator on core {GENERATOR_CORE}.{first} {now:%d %B %Y %H:%M} UTC. "
        f"{os.cpu_count()} × {cpu_name()}, Linux {platform.release()}. "
        f"Load average before {load_before}, after {load()} (the bench itself adds up to about 2).\n\n"
        f"{versions or place.version('headcount')}. Command: `python3 bench {command()}`."
    )


def command() -> str:
    """Returns the command line, without paths of this machine."""
    words = sys.argv[1:]
    places = [at for at, word in enumerate(words) if word in ("--headcount", "--save")]
    return shlex.join(word for at, word in enumerate(words) if at not in places and at - 1 not in places)


def load() -> str:
    """Returns the load averages of the last minute and the last five minutes."""
    one, five, _ = os.getloadavg()
    return f"{one:.2f} / {five:.2f}"


def cpu_name() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
