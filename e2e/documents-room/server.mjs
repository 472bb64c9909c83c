// A chat room, based on the npm package `ws`, that puts several JSON documents into one frame, as busy servers do. The
// path selects the framing:
//
//   /newline   one document on each line (as Centrifugo)        /array     a top-level array
//   /0x1e      each ends with the byte 0x1e                     /sockjs    SockJS frames: a["…","…"]
//   /signalr   SignalR's JSON protocol: handshake, invocations and completions, each ending with 0x1e
//
// ?split: cuts frames at any byte, so that documents continue in the next frame (/newline and /0x1e).
//
//   {"type":"join","room":"a","id":1}  → {"type":"joined","id":1}
//   {"type":"say","text":"hi","id":2}  → {"type":"heard","id":2} to the sender, {"type":"said","text":"hi"} to everyone in the room
//   SignalR: the server has the targets Join(room) and Say({text}), the clients have `said`.
//
// GET /counts returns the numbers of documents sent, by type, and of frames sent. Prints the port that it listens on.

import { createServer } from "node:http";
import { WebSocketServer } from "ws";

const RECORD_END = "\x1e";
const rooms = new Map();
const counts = { said: 0, heard: 0, frames: 0, several: 0, cut: 0 };

const framings = {
  newline: (documents) => documents.join("\n") + "\n",
  "0x1e": (documents) => documents.join(RECORD_END) + RECORD_END,
  signalr: (documents) => documents.join(RECORD_END) + RECORD_END,
  array: (documents) => `[${documents.join(",")}]`,
  sockjs: (documents) => `a${JSON.stringify(documents)}`,
};

const http = createServer((request, response) => response.end(request.url === "/counts" ? JSON.stringify(counts) : ""));
http.listen(0, "127.0.0.1", () => console.log(http.address().port));

new WebSocketServer({ server: http }).on("connection", (socket, request) => {
  const url = new URL(request.url, "http://room");
  const framing = framings[url.pathname.slice(1)] ?? framings.newline;
  const split = url.searchParams.has("split");
  const signalr = url.pathname === "/signalr";
  let waiting = [];
  let room = null;
  let shaken = !signalr;

  const write = (text) => {
    counts.frames += 1;
    socket.send(text);
  };
  const flush = () => {
    if (waiting.length === 0) return;
    const frame = framing(waiting);
    if (waiting.length > 1) counts.several += 1;
    waiting = [];
    if (!split) return write(frame);
    const at = 1 + ((counts.frames * 7919) % (frame.length - 1));
    counts.cut += 1;
    write(frame.slice(0, at));
    write(frame.slice(at));
  };
  // Documents sent within a few milliseconds share a frame.
  const say = (document) => {
    if (waiting.push(JSON.stringify(document)) === 1) setTimeout(flush, 4);
  };
  const join = (name) => {
    if (!rooms.has(name)) rooms.set(name, new Set());
    room = rooms.get(name);
    room.add(said);
  };
  const said = (text) => {
    counts.said += 1;
    say(signalr ? { type: 1, target: "said", arguments: [{ text }] } : { type: "said", text });
  };
  const tell = (text) => room?.forEach((listener) => listener(text));
  const heard = (document) => {
    counts.heard += 1;
    say(document);
  };
  const invoked = ({ type, target, arguments: [given] = [], invocationId }) => {
    if (type !== 1) return;
    if (target === "Join") join(given);
    if (target === "Say") tell(given.text);
    if (invocationId !== undefined) heard({ type: 3, invocationId, result: null });
  };
  const asked = ({ type, room: name, text, id }) => {
    if (type === "join") {
      join(name);
      say({ type: "joined", id });
    } else if (type === "say") {
      heard({ type: "heard", id });
      tell(text);
    }
  };

  socket.on("message", (data) => {
    for (const text of data.toString().split(signalr ? RECORD_END : "\n").filter(Boolean)) {
      const document = JSON.parse(text);
      if (!shaken) {
        shaken = document.protocol === "json";
        socket.send(shaken ? `{}${RECORD_END}` : `{"error":"json only"}${RECORD_END}`);
      } else if (signalr) invoked(document);
      else asked(document);
    }
  });
  socket.on("close", () => room?.delete(said));
  socket.on("error", () => socket.terminate());
});
