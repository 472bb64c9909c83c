// A room whose members read their messages over plain HTTP, on Node's own HTTP server: a target that shares no code with
// headcount.
//
//   POST /messages?user=NAME {"text":""}  a message to every other member
//   GET  /inbox?user=NAME                 the member's messages that it has not read: {"messages":[{"text":""}]}
//   GET  /list?user=NAME                  all messages of the member, oldest first, in the same form
//   GET  /poll?user=NAME                  like /inbox, but waits for a message, at most for 300 ms
//   GET  /counts                          what the server did
//
// A member joins with its first GET. Environment variables inject faults, which the server counts exactly:
//
//   DROP=50        every 50th delivery is not made
//   DUPLICATE=50   every 50th delivery is made twice
//
// Prints the port that it listens on.

import { createServer } from "node:http";

const number = (name) => Number(process.env[name] ?? 0);
const [DROP, DUPLICATE] = ["DROP", "DUPLICATE"].map(number);
const WAIT_MS = 300;

const counts = { messages: 0, deliveries: 0, dropped: 0, duplicated: 0, polls: 0 };
const members = new Map();

function memberOf(name) {
  if (!members.has(name)) members.set(name, { all: [], unread: [], waiting: null });
  return members.get(name);
}

function put(member, message) {
  member.all.push(message);
  member.unread.push(message);
}

function deliver(member, message) {
  counts.deliveries += 1;
  if (counts.deliveries % DROP === 0) {
    counts.dropped += 1;
    return;
  }
  put(member, message);
  if (counts.deliveries % DUPLICATE === 0) {
    counts.duplicated += 1;
    put(member, message);
  }
  member.waiting?.();
}

function send(response, messages) {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ messages }));
}

const take = (member) => member.unread.splice(0);

function poll(member, response) {
  counts.polls += 1;
  const answer = () => {
    clearTimeout(timer);
    member.waiting = null;
    send(response, take(member));
  };
  const timer = setTimeout(answer, WAIT_MS);
  member.waiting = answer;
  if (member.unread.length > 0) answer();
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function serve(request, response) {
  const url = new URL(request.url, "http://server");
  const user = url.searchParams.get("user");
  if (url.pathname === "/counts") return response.end(JSON.stringify(counts));
  if (request.method === "POST") {
    const { text } = await bodyOf(request);
    counts.messages += 1;
    for (const [name, member] of members) if (name !== user) deliver(member, { text });
    // The response repeats the text, but it is not a delivery.
    return send(response, [{ text }]);
  }
  const member = memberOf(user);
  if (url.pathname === "/inbox") return send(response, take(member));
  if (url.pathname === "/list") return send(response, member.all);
  if (url.pathname === "/poll") return poll(member, response);
  response.writeHead(404).end();
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
