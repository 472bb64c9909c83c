// The field report's four tests at its pace: a new user joins a random room every 101.4 ms, and then edits every 2 s
// and moves the caret every 0.5 s. The script measures the report's own "latency" (the time since a user's own last
// edit when somebody joins the room) and the true one: each message to each of the others in its room. The ramp-up
// determines the report's figure, so the script makes its own ramp-up inside the measured time. Deliveries are tracked
// once all users have joined.
import { Counter, Trend, type Group, type Options } from "headcount";

export const options: Options = {
  groups: 1,
  load: { users: [10, 30, 50, 50], once: true, limit: "25s" },
  thresholds: {
    deliveries: ["lost == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
    iterations: ["failed == 0"],
    connections: ["failed == 0"],
  },
};

/** Milliseconds between two users of the report. */
const STEP = 101.4;
/** The longest of the three texts that the report's tester sends. */
const CODE = 'function test() { return "Hello World"; } // ';

const reported = new Trend("the report's own latency, ms");
const sent = new Counter("messages sent");

/** The rooms of the report's tests: 10 users in 1, 30 in 6, 50 in 5, and once more 50 in 10. */
function rooms({ users, index }: Group["level"]) {
  return users <= 10 ? 1 : users <= 30 ? 6 : index < 3 ? 5 : 10;
}

export default async function test({ id, level, everyone, channel }: Group) {
  const count = rooms(level);
  let followed = false;
  await everyone(async (user, here) => {
    await user.think(user.index * STEP);
    const room = user.random(count);
    const roomId = `${id}-room-${room}`;
    const edits = channel(`edit in room ${room}`, { to: "others" });
    const carets = channel(`caret in room ${room}`, { to: "others" });
    const socket = await user.socketio();
    let edited: number | undefined;
    socket.on("joined", () => {
      if (edited === undefined) return;
      const ago = Date.now() - edited;
      if (ago < 5000) reported.add(ago);
    });
    socket.emit("join", { roomId, username: user.name });
    const editing = user.every("2s", () => {
      socket.emit("code-change", { roomId, code: followed ? edits.stamp(user, CODE) : CODE });
      edited = Date.now();
      sent.add();
    }, { first: "2s" });
    const pointing = user.every("500ms", () => {
      const cursor = { line: user.random(10), ch: user.random(40), tag: followed ? carets.stamp(user) : "" };
      socket.emit("cursor-change", { roomId, cursor, username: user.name });
      sent.add();
    }, { first: "500ms" });
    // The server's snapshots of the document are not edits of a user.
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true } });
    socket.receives(carets, { event: "cursor-change", at: "/cursor/tag" });
    await here("everybody is there");
    followed = true;
    await user.think("6s");
    editing.stop();
    pointing.stop();
  });
}
