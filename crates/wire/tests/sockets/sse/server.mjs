// Sends a stream of events in pieces that cut lines and characters. Continues after the id in `Last-Event-ID`.
import { createServer } from "node:http";

const first = [
  ": welcome\n",
  "retry: 250\n",
  "data: one\nid: 1\n\n",
  "event: news\r\ndata: two\r\ndata: lines\r\nid: 2\r\n\r\n",
  "data: größe €\rid:3\r\r",
  "unknown: field\n",
];
const rest = ["data\nid: 4\n\n", 'data: {"n": 5}\nid: 5\n\n', "data: cut off\n"];

const responses = {
  "/gone": (response) => response.writeHead(204).end(),
  "/page": (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>"),
  "/busy": (response) => response.writeHead(429).end(),
  "/events": async (response, last) => {
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    const bytes = Buffer.from((last === "3" ? rest : first).join(""));
    for (let at = 0; at < bytes.length; at += 5) {
      response.write(bytes.subarray(at, at + 5));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (last === "3") response.end(); // the first stream stays open
  },
};

const server = createServer((request, response) => {
  responses[request.url](response, request.headers["last-event-id"]);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
