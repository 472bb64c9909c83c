"""Answers questions about its clock: peer.py ADDRESS PORT. Each reply is the question with t2 and t3 appended."""

import socket
import struct
import sys
import time

if __name__ == "__main__":
    host, port = sys.argv[1], int(sys.argv[2])
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind((host, port))
    print("ready", flush=True)
    while True:
        question, sender = own.recvfrom(64)
        received = time.monotonic_ns()
        own.sendto(question + struct.pack("!QQ", received, time.monotonic_ns()), sender)
