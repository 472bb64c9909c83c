// Rooms whose members receive posts as server-sent events, on Node's own HTTP server, or on its HTTP/2 server if `HTTP2`
// is set: a target that shares no code with headcount.
//
//   GET  /rooms/:room/feed?user=NAME     the room's posts, as events `post` with ids; continues after `Last-Event-ID`
//   POST /rooms/:room/posts {"text":""}  a post to every member, also to those whose connection is cut
//   GET  /counts                         what the server did
//
// Environment variables inject faults, which the server counts exactly:
//
//   DROP=50    every 50th delivery is not sent
//   DUPLICATE=50  every 50th delivery is sent twice
//   SWAP=50    every 50th delivery is sent after the next one to the same member
//   STRAY=50   every 50th delivery is sent to a member of another room as well
//   CUT=25     cuts every connection in the middle of its 25th event; over HTTP/2, resets the stream
//   LEAVE=25   over HTTP/2, sends GOAWAY before the 25th event of each stream, which goes on until its 50th
//   BREAK=25   over HTTP/2, closes the connection with GOAWAY instead of sending the 25th event of a stream
//   STREAMS=1  over HTTP/2, the number of concurrent streams per connection
//   END=25     ends every stream in order after its 25th event
//   FORGETS=1  does not repeat what a member missed
//
// Prints the port that it listens on.

import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2, constants } from "node:http2";

const number = (name) => Number(process.env[name] ?? 0);
const [HTTP2, STREAMS] = ["HTTP2", "STREAMS"].map(number);
const [DROP, CUT, END, LEAVE, BREAK, FORGETS] = ["DROP", "CUT", "END", "LEAVE", "BREAK", "FORGETS"].map(number);
const [DUPLICATE, SWAP, STRAY] = ["DUPLICATE", "SWAP", "STRAY"].map(number);
const RETRY_MS = 50;
/** Time after which a delivery that waits for a successor is sent without one. */
const HOLD_MS = 500;

const counts = {
  deliveries: 0, dropped: 0, cut: 0, ended: 0, left: 0, broken: 0, missed: 0, repeated: 0, opened: 0, continued: 0,
  sessions: 0, posts: 0, peak: 0, duplicated: 0, swapped: 0, strayed: 0,
};
const rooms = new Map();

function roomOf(name) {
  if (!rooms.has(name)) rooms.set(name, { posts: [], members: new Map() });
  return rooms.get(name);
}

function cut(member, text) {
  const { response } = member;
  member.response = null;
  counts.cut += 1;
  // The half of an event is on its way before the connection ends.
  response.write(text.slice(0, text.length / 2), () => {
    if (HTTP2) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else response.socket?.destroy();
  });
}

/** Ends the connection of a member, with all of its streams. */
function breakOff(member) {
  const { session } = member.response.stream;
  member.response = null;
  counts.broken += 1;
  session.goaway(constants.NGHTTP2_NO_ERROR);
  session.destroy();
}

/** Sends a post to a member. Returns whether it was sent completely. */
function send(member, { id, text }) {
  const event = `event: post\nid: ${id}\ndata: ${JSON.stringify({ text })}\n\n`;
  member.sent += 1;
  if (member.sent === CUT) {
    cut(member, event);
    return false;
  }
  if (member.sent === BREAK) {
    breakOff(member);
    return false;
  }
  if (member.sent === LEAVE) {
    counts.left += 1;
    member.response.stream.session.goaway(constants.NGHTTP2_NO_ERROR);
  }
  member.response.write(event);
  if (member.sent === END || member.sent === 2 * LEAVE) {
    member.response.end();
    member.response = null;
    counts.ended += 1;
  }
  return true;
}

/** Sends a post to a member of another room. */
function stray(room, post) {
  const others = [...rooms.values()].filter((other) => other !== room).flatMap(({ members }) => [...members.values()]);
  if (others.length === 0) return;
  counts.strayed += 1;
  send(others[counts.deliveries % others.length], post);
}

/** Sends the post that waits for a successor, if there is one. */
function release(member) {
  const post = member.held;
  member.held = undefined;
  if (post) send(member, post);
  return post !== undefined;
}

function deliver(room, member, post) {
  counts.deliveries += 1;
  if (counts.deliveries % DROP === 0) {
    counts.dropped += 1;
    return;
  }
  if (counts.deliveries % STRAY === 0) stray(room, post);
  if (counts.deliveries % DUPLICATE === 0) {
    counts.duplicated += 1;
    send(member, post);
  } else if (counts.deliveries % SWAP === 0 && !member.held) {
    member.held = post;
    setTimeout(() => release(member), HOLD_MS);
    return;
  }
  const sent = member.response !== null && send(member, post);
  if (!sent && FORGETS) counts.missed += 1;
  if (release(member)) counts.swapped += 1;
}

function feed(room, user, request, response) {
  const last = request.headers["last-event-id"];
  counts.opened += 1;
  response.stream?.on("error", () => {}); // the stream may be reset by either side
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  response.write(`: welcome\nretry: ${RETRY_MS}\n\n`);
  const member = { response, sent: 0 };
  room.members.set(user, member);
  if (last === undefined) return;
  counts.continued += 1;
  for (const post of FORGETS ? [] : room.posts.filter(({ id }) => id > Number(last))) {
    if (member.response === null) break;
    counts.repeated += 1;
    send(member, post);
  }
}

function publish(room, text) {
  counts.posts += 1;
  const post = { id: room.posts.length + 1, text };
  room.posts.push(post);
  for (const member of room.members.values()) deliver(room, member, post);
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

// Connections that sent a request over HTTP/2.
const sessions = new WeakSet();

function note(session) {
  if (!sessions.has(session)) counts.sessions += 1;
  sessions.add(session);
}

async function serve(request, response) {
  if (request.stream) note(request.stream.session);
  const url = new URL(request.url, "http://server");
  const [, kind, name, what] = url.pathname.split("/");
  if (kind === "counts") return response.end(JSON.stringify(counts));
  if (kind !== "rooms") return response.writeHead(404).end();
  const room = roomOf(name);
  if (what === "feed") return feed(room, url.searchParams.get("user"), request, response);
  publish(room, (await bodyOf(request)).text);
  response.writeHead(201).end();
}

const settings = STREAMS ? { maxConcurrentStreams: STREAMS } : {};
const server = HTTP2 ? createHttp2({ settings }, serve) : createHttp1(serve);
server.on("session", (session) => {
  session.on("error", () => {});
  let open = 0;
  session.on("stream", (stream) => {
    open += 1;
    counts.peak = Math.max(counts.peak, open);
    stream.on("close", () => { open -= 1; });
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
