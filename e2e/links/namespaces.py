"""Network namespaces with links whose delay, jitter, loss and cuts are chosen. Needs root."""

import contextlib
import ctypes
import fcntl
import os
import struct
import subprocess

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
DEVICE = "link"

libc = ctypes.CDLL(None, use_errno=True)


def address(number):
    return f"10.99.0.{number}"


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


@contextlib.contextmanager
def namespaces(count):
    """Creates namespaces, and removes them at the end."""
    names = [f"headcount-{os.getpid()}-{number}" for number in range(1, count + 1)]
    try:
        for name in names:
            ip("netns", "add", name)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def inside(name):
    """Enters a namespace. What is opened there stays in it."""
    with open("/proc/self/ns/net") as outside, open(f"/run/netns/{name}") as there:
        enter(there)
        try:
            yield
        finally:
            enter(outside)


def enter(namespace):
    if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "cannot enter the namespace")


def tunnel(name, number):
    """Opens the only device of a namespace. Its packets come from the returned descriptor."""
    with inside(name):
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        request = struct.pack("16sH", DEVICE.encode(), IFF_TUN | IFF_NO_PI)
        fcntl.ioctl(device, TUNSETIFF, request)
        ip("address", "add", f"{address(number)}/24", "dev", DEVICE)
        ip("link", "set", "dev", DEVICE, "up")
    return device
