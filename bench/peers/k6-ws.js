// For k6: the same load as ws.js. MODE is echo, room or idle, with USERS sockets for SECONDS.
import { WebSocket } from "k6/websockets";
import { Counter, Trend } from "k6/metrics";

const { MODE, WS_URL } = __ENV;
const [USERS, SECONDS] = [Number(__ENV.USERS), Number(__ENV.SECONDS)];
const [ROOM, SPEAKERS] = [Number(__ENV.ROOM), Number(__ENV.SPEAKERS)];
const [AT_ONCE, EVERY_MS] = [Number(__ENV.AT_ONCE), Number(__ENV.EVERY_MS)];

const took = new Trend("took", true);
const received = new Counter("received");
const sent = new Counter("sent");

export const options = {
  scenarios: { load: { executor: "per-vu-iterations", vus: USERS, iterations: 1, maxDuration: `${SECONDS + 60}s` } },
  summaryTrendStats: ["avg", "med", "p(99)", "max"],
};

function timed(since) {
  took.add(Date.now() - since);
  received.add(1);
}

function echo(socket) {
  let begun = 0;
  const say = () => {
    begun = Date.now();
    sent.add(1);
    socket.send("ping");
  };
  socket.onmessage = () => {
    timed(begun);
    say();
  };
  say();
}

function room(socket, index) {
  socket.onmessage = (event) => timed(JSON.parse(event.data).at);
  if (index % ROOM >= SPEAKERS) return;
  let seq = 0;
  setInterval(() => {
    for (let i = 0; i < AT_ONCE; i++) {
      seq += 1;
      sent.add(1);
      socket.send(JSON.stringify({ type: "said", from: `u${index}`, seq, at: Date.now(), pad: "01234567890123456" }));
    }
  }, EVERY_MS);
}

export default function () {
  const index = __VU - 1;
  const socket = new WebSocket(WS_URL.replace("ROOM", `r${Math.floor(index / ROOM)}`));
  socket.onopen = () => {
    if (MODE === "echo") echo(socket);
    if (MODE === "room") room(socket, index);
    setTimeout(() => socket.close(), 1000 * SECONDS);
  };
  socket.onerror = (event) => {
    throw new Error(event.error);
  };
}
