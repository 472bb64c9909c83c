// Rooms whose members edit one document at the report's pace: an edit every 2 s and a caret every 0.5 s, all sent to
// all others in the room. At the end of the level, all members of a room must have the same text. Not with
// CONVERGES=no, for short levels: it takes seconds of quiet, and connections open before the measured time.
import { env, type Group, type Options } from "headcount";

const converges = env("CONVERGES", "yes") === "yes";

export const options: Options = {
  group: 5,
  load: { users: [100, 200, 500, 1000], ramp: "2s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(edit)": ["p95 < 20ms", "lost == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
    "delivery(caret)": ["p95 < 20ms", "lost == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
    ...(converges ? { "converged(document)": ["diverged == 0"], connections: ["failed == 0"] } : {}),
    iterations: ["failed == 0"],
  },
  settle: converges ? "8s" : "2s",
};

export default async function edit({ id, everyone, channel }: Group) {
  const edits = channel("edit", { to: "others" });
  const carets = channel("caret", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.socketio();
    // The server's snapshots of the document are stored for `last()`, but are not deliveries.
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true }, keep: true });
    socket.receives(carets, { event: "cursor-change", at: "/cursor/tag" });
    socket.emit("join", { roomId: id, username: user.name });
    await socket.next("joined");
    await here("joined");
    let own = "";
    let heard: string | undefined;
    user.every("2s", () => {
      own = edits.stamp(user, 'function test() { return "Hello World"; } // ');
      heard = socket.last(edits);
      socket.emit("code-change", { roomId: id, code: own });
    });
    user.every("500ms", () => {
      socket.emit("cursor-change", { roomId: id, cursor: { line: 1, ch: 2, tag: carets.stamp(user) }, username: user.name });
    });
    await user.stay();
    if (!converges) return;
    // If a user's last edit crossed with another one, the server sends the valid text once the room is quiet.
    await user.think("4s");
    // The text that the user sees now: the last one received, or the own one if none was received since.
    const last = socket.last(edits);
    user.state("document", (last === heard ? own : last)!);
  });
}
