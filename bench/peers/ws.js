// For Node with the library ws: MODE is echo, room or idle, with USERS sockets for SECONDS. Prints its measurements as
// JSON.
"use strict";

const { WebSocket } = require("ws");

const { MODE, WS_URL } = process.env;
const USERS = Number(process.env.USERS);
const SECONDS = Number(process.env.SECONDS);
// For rooms: sockets and senders per room, messages sent at once, and the period.
const ROOM = Number(process.env.ROOM);
const SPEAKERS = Number(process.env.SPEAKERS);
const AT_ONCE = Number(process.env.AT_ONCE);
const EVERY_MS = Number(process.env.EVERY_MS);
const AT_A_TIME = 200;

const now = () => Number(process.hrtime.bigint());

// Latencies in steps of 10 us, up to 10 s.
const steps = new Uint32Array(1_000_000);
const told = { received: 0, sent: 0, lost: 0, duplicated: 0 };

function timed(ns) {
  told.received += 1;
  steps[Math.min(steps.length - 1, Math.floor(ns / 10_000))] += 1;
}

function percentile(share) {
  let left = Math.ceil(told.received * share);
  for (let step = 0; step < steps.length; step++) {
    left -= steps[step];
    if (left <= 0) return (step + 1) / 100;
  }
  return null;
}

function opened(index) {
  return new Promise((resolve, reject) => {
    const url = MODE === "room" ? WS_URL.replace("ROOM", `r${Math.floor(index / ROOM)}`) : WS_URL;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.once("open", () => resolve(socket));
    socket.once("error", reject);
  });
}

async function all() {
  const sockets = [];
  while (sockets.length < USERS) {
    const next = Array.from({ length: Math.min(AT_A_TIME, USERS - sockets.length) }, (_, i) => opened(sockets.length + i));
    sockets.push(...(await Promise.all(next)));
  }
  return sockets;
}

function echo(sockets, until) {
  for (const socket of sockets) {
    let begun = now();
    socket.on("message", () => {
      const at = now();
      timed(at - begun);
      if (at >= until) return;
      begun = now();
      told.sent += 1;
      socket.send("ping");
    });
    told.sent += 1;
    socket.send("ping");
  }
}

// Every delivery is parsed, timed, and compared with the last number of its sender.
function listen(socket) {
  const last = new Map();
  socket.on("message", (data) => {
    const { from, seq, at } = JSON.parse(data);
    timed(now() - at);
    const before = last.get(from) ?? 0;
    if (seq <= before) told.duplicated += 1;
    else told.lost += seq - before - 1;
    last.set(from, seq);
  });
}

// An open load: all messages that are due are sent, even if the timer is late.
function speak(socket, name, until) {
  let [due, seq] = [now() + Math.random() * EVERY_MS * 1e6, 0];
  const timer = setInterval(() => {
    const at = now();
    if (at >= until) return clearInterval(timer);
    for (; due <= at; due += EVERY_MS * 1e6) {
      for (let i = 0; i < AT_ONCE; i++) {
        seq += 1;
        told.sent += 1;
        socket.send(JSON.stringify({ type: "said", from: name, seq, at: due, pad: "0123456789" }));
      }
    }
  }, 1);
}

async function main() {
  const sockets = await all();
  const until = now() + SECONDS * 1e9;
  if (MODE === "echo") echo(sockets, until);
  if (MODE === "room") {
    sockets.forEach(listen);
    sockets.forEach((socket, i) => i % ROOM < SPEAKERS && speak(socket, `u${i}`, until));
  }
  await new Promise((resolve) => setTimeout(resolve, 1000 * SECONDS + 1000));
  const figures = { p50: percentile(0.5), p99: percentile(0.99) };
  process.stdout.write(`${JSON.stringify({ ...told, figures })}\n`, () => process.exit(0));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
