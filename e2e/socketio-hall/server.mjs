// Halls of listeners on the official Socket.IO server, in the namespace /halls: a target that shares no code with headcount.
//
//   join {hall}        → joined {hall}; from then on, the socket gets what is said in the hall
//   say {hall, text}   → said {text} to every listener of the hall
//   kick {hall}        → the server ends the connection of every listener of the hall
//   GET /counts        → what the server did
//
// A listener whose auth has `denied` is refused.
// Environment variables inject faults, which the server counts exactly:
//
//   DROP=50       every 50th delivery is not sent
//   DUPLICATE=50  every 50th delivery is sent twice
//   SWAP=50       every 50th delivery is sent after the next one to the same listener
//   STRAY=50      every 50th delivery is sent to a listener of another hall as well
//
// Prints the port that it listens on. SOCKET_IO names the package.

import { createServer } from "node:http";

const { Server } = await import(process.env.SOCKET_IO ?? "socket.io-4.8");
const [DROP, DUPLICATE, SWAP, STRAY] = ["DROP", "DUPLICATE", "SWAP", "STRAY"].map((name) => Number(process.env[name] ?? 0));
/** Time after which a delivery that waits for a successor is sent without one. */
const HOLD_MS = 500;

const counts = { joined: 0, deliveries: 0, dropped: 0, duplicated: 0, swapped: 0, strayed: 0, kicked: 0 };
const halls = new Map();
const held = new Map();

const http = createServer((request, response) => {
  if (request.url === "/counts") response.end(JSON.stringify(counts));
  else response.writeHead(404).end();
});
const io = new Server(http);

function stray(hall, message) {
  const others = [...halls].filter(([name]) => name !== hall).flatMap(([, listeners]) => listeners);
  if (others.length === 0) return;
  counts.strayed += 1;
  others[counts.deliveries % others.length].emit("said", message);
}

function release(listener) {
  const message = held.get(listener);
  held.delete(listener);
  if (message) listener.emit("said", message);
  return message !== undefined;
}

function deliver(hall, listener, message) {
  counts.deliveries += 1;
  const number = counts.deliveries;
  if (number % DROP === 0) {
    counts.dropped += 1;
    return;
  }
  if (number % STRAY === 0) stray(hall, message);
  if (number % DUPLICATE === 0) {
    counts.duplicated += 1;
    listener.emit("said", message);
  } else if (number % SWAP === 0 && !held.has(listener)) {
    held.set(listener, message);
    setTimeout(() => release(listener), HOLD_MS);
    return;
  }
  listener.emit("said", message);
  if (release(listener)) counts.swapped += 1;
}

io.of("/halls").use((socket, next) => next(socket.handshake.auth.denied ? new Error("no seat") : undefined));
io.of("/halls").on("connection", (socket) => {
  socket.on("join", ({ hall }) => {
    counts.joined += 1;
    halls.set(hall, [...(halls.get(hall) ?? []), socket]);
    socket.emit("joined", { hall });
  });
  socket.on("say", ({ hall, text }) => {
    for (const listener of halls.get(hall) ?? []) deliver(hall, listener, { text });
  });
  socket.on("kick", ({ hall }) => {
    for (const listener of halls.get(hall) ?? []) {
      counts.kicked += 1;
      listener.conn.close();
    }
  });
});

http.listen(0, "127.0.0.1", () => console.log(http.address().port));
