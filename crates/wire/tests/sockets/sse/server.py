"""Sends a stream of events in pieces that cut lines and characters. Continues after the id in `Last-Event-ID`."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FIRST = (
    ": welcome\nretry: 250\ndata: one\nid: 1\n\n"
    "event: news\r\ndata: two\r\ndata: lines\r\nid: 2\r\n\r\n"
    "data: größe €\rid:3\r\runknown: field\n"
)
REST = 'data\nid: 4\n\ndata: {"n": 5}\nid: 5\n\ndata: cut off\n'


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        continues = self.headers.get("Last-Event-ID") == "3"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        data = (REST if continues else FIRST).encode()
        for at in range(0, len(data), 5):
            self.wfile.write(data[at : at + 5])
            self.wfile.flush()
        if not continues:
            self.rfile.read(1)  # the first stream stays open until the client leaves

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
