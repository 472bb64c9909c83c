// A small chat room on the npm package `ws`: a target that shares no code with headcount.
//
//   {"type":"join","room":"a","name":"ann"}  → {"type":"joined","room":"a"} to the joiner
//   {"type":"say","text":"hi","id":7}        → {"type":"said","from":"ann","text":"hi","id":7} to everyone in the room
//   {"type":"ask","text":"hi","id":7}        → {"type":"answer","text":"hi","id":7} to the asker alone
//   binary                                   → the same bytes, to the sender alone
//
// Prints the port that it listens on: the first argument, by default a free port.

import { WebSocketServer, WebSocket } from "ws";

const rooms = new Map();
const server = new WebSocketServer({ host: "127.0.0.1", port: Number(process.argv[2] ?? 0) });
server.on("listening", () => console.log(server.address().port));

server.on("connection", (socket) => {
  let name = "nobody";
  let room = null;

  const leave = () => {
    room?.delete(socket);
    room = null;
  };
  const join = (message) => {
    leave();
    name = message.name ?? name;
    if (!rooms.has(message.room)) rooms.set(message.room, new Set());
    room = rooms.get(message.room);
    room.add(socket);
    socket.send(JSON.stringify({ type: "joined", room: message.room }));
  };
  const say = ({ text, id }) => {
    const said = JSON.stringify({ type: "said", from: name, text, id });
    for (const listener of room ?? []) {
      if (listener.readyState === WebSocket.OPEN) listener.send(said);
    }
  };

  socket.on("message", (data, binary) => {
    if (binary) return socket.send(data, { binary: true });
    const message = JSON.parse(data.toString());
    if (message.type === "join") join(message);
    if (message.type === "say") say(message);
    if (message.type === "ask") socket.send(JSON.stringify({ type: "answer", text: message.text, id: message.id }));
  });
  socket.on("close", leave);
  socket.on("error", () => socket.terminate());
});
