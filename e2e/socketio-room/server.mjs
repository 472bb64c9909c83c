// Features of Socket.IO, on the official server: a target that shares no code with headcount.
//
//   say (text)        → said {text, bytes} to everyone, the sender too; `bytes` is there if the text was bytes
//   ask (…)           → acknowledged with the same
//   ask me (n)        → `question (n)` to the asker, whose acknowledgement acknowledges this
//   silence ()        → never acknowledged
//   transport ()      → acknowledged with the name of the transport
//   leave me ()       → the server disconnects the socket, `cut me ()` the connection, `sleep (ms)` stops the server's loop
//   namespace /admin  → needs the auth {token: "secret"}
//
// Prints the port that it listens on. SOCKET_IO names the package; PING_INTERVAL and PING_TIMEOUT are milliseconds.

import { createServer } from "node:http";

const { Server } = await import(process.env.SOCKET_IO ?? "socket.io-4.8");
const http = createServer();
const io = new Server(http, {
  pingInterval: Number(process.env.PING_INTERVAL ?? 25_000),
  pingTimeout: Number(process.env.PING_TIMEOUT ?? 20_000),
});

function serve(socket) {
  socket.on("say", (text) => socket.nsp.emit("said", typeof text === "string" ? { text } : { bytes: text }));
  socket.on("ask", (...all) => all.pop()(...all));
  socket.on("ask me", (n, answer) => socket.emit("question", n, answer));
  socket.on("silence", () => {});
  socket.on("transport", (answer) => answer(socket.conn.transport.name));
  socket.on("leave me", () => socket.disconnect());
  socket.on("cut me", () => socket.conn.close());
  socket.on("sleep", (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));
}

io.on("connection", serve);
io.of("/admin").use((socket, next) =>
  next(socket.handshake.auth.token === "secret" ? undefined : new Error("not authorized")));
io.of("/admin").on("connection", serve);

http.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => console.log(http.address().port));
