"""Runs a program in a terminal of the given width, and copies everything that it writes to stdout.

terminal.py COLUMNS PROGRAM ARGUMENT...
"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, *program = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.execv(program[0], program)
while True:
    try:
        written = os.read(terminal, 65536)
    except OSError:  # Linux reports the end of the program as an error
        break
    if not written:
        break
    sys.stdout.buffer.write(written)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
