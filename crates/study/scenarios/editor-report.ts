// The field report's four tests with its pace: a new user every 101.4 ms, into a room at random; from its own join on
// everybody edits every 2 s and moves the caret every 0.5 s. Beside the report's own "latency" (how long ago a user's own
// last edit was when somebody came into the room) stands the true one: each message to each of the others in its room.
// The ramp makes the report's figure, so the story ramps by itself, inside of what is measured; deliveries are followed
// from when everybody is there.
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
/** Of the three texts of the report's own tester, the longest. */
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
    // What the editor says of the document itself is nobody's edit.
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true } });
    socket.receives(carets, { event: "cursor-change", at: "/cursor/tag" });
    await here("everybody is there");
    followed = true;
    await user.think("6s");
    editing.stop();
    pointing.stop();
  });
}
