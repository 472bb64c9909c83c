"""Receives metrics by OTLP over HTTP, parsed with OpenTelemetry's own protocol definitions.

Prints the port that it listens on. Writes all points of each metric to the file that is the first argument, after every
request: {"headcount.requests": {"monotonic": true, "points": [{"at": nanoseconds, "value": 5}]}, "service.name": ...}
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import DataPointFlags

received = {}


def add(metric):
    kind = metric.WhichOneof("data")
    data = getattr(metric, kind)
    known = received.setdefault(metric.name, {"points": []})
    if kind == "sum":
        known["monotonic"] = data.is_monotonic
    for point in data.data_points:
        is_unknown = point.flags & DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK
        value = None if is_unknown else getattr(point, point.WhichOneof("value"))
        known["points"].append({"at": point.time_unix_nano, "value": value})


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fine = self.path == "/v1/metrics" and self.headers["Content-Type"] == "application/json"
        if fine:
            request = Parse(body, ExportMetricsServiceRequest())
            for resource in request.resource_metrics:
                for attribute in resource.resource.attributes:
                    received[attribute.key] = attribute.value.string_value
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        add(metric)
            with open(sys.argv[1], "w", encoding="utf-8") as file:
                json.dump(received, file)
        self.send_response(200 if fine else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
