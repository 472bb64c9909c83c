// The rooms of the field report's editor on the official Socket.IO server: a plain relay that keeps no document.
//
//   join {roomId, username}        → joined {clients, username, socketId} to everyone in the room, the joiner last
//   code-change {roomId, code}     → code-change {code} to the others
//   cursor-change {roomId, cursor} → cursor-change {socketId, cursor, username} to the others
//   sync-code {socketId, code}     → code-change {code} to that socket
//   (a socket closes)              → disconnected {socketId, username} to the others of its rooms
//
// Prints the port that it listens on: the first argument, by default a free port. SOCKET_IO names the package, one of
// several versions of the same server.

import { createServer } from "node:http";

const { Server } = await import(process.env.SOCKET_IO ?? "socket.io-4.8");
const http = createServer();
const io = new Server(http);
const names = new Map();

const membersOf = (roomId) =>
  [...(io.sockets.adapter.rooms.get(roomId) ?? [])].map((socketId) => ({ socketId, username: names.get(socketId) }));

io.on("connection", (socket) => {
  // Ignores events without a payload, which would otherwise crash the server.
  const on = (event, act) => socket.on(event, (message) => message && act(message));

  on("join", ({ roomId, username }) => {
    names.set(socket.id, username);
    socket.join(roomId);
    const clients = membersOf(roomId);
    for (const { socketId } of clients) io.to(socketId).emit("joined", { clients, username, socketId: socket.id });
  });
  on("code-change", ({ roomId, code }) => socket.to(roomId).emit("code-change", { code }));
  on("cursor-change", ({ roomId, cursor, username }) =>
    socket.to(roomId).emit("cursor-change", { socketId: socket.id, cursor, username }));
  on("sync-code", ({ socketId, code }) => io.to(socketId).emit("code-change", { code }));
  socket.on("disconnecting", () => {
    for (const roomId of socket.rooms) {
      socket.to(roomId).emit("disconnected", { socketId: socket.id, username: names.get(socket.id) });
    }
    names.delete(socket.id);
  });
});

http.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => console.log(http.address().port));
