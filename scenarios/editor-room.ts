// Rooms of a collaborative editor over Socket.IO: edits every two seconds, carets twice a second, to everybody else in the room.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 5, // five people in a room
  load: { users: [10, 30, 50, 200, 1000], ramp: "5s", warmup: "1s", duration: "30s" },
  thresholds: {
    "delivery(code-change)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    "delivery(cursor-change)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    "converged(document)": ["diverged == 0"],
    iterations: ["failed < 0.1%"],
  },
};

export default async function session({ id, everyone, channel }: Group) {
  const edits = channel("code-change", { to: "others" });
  const carets = channel("cursor-change", { to: "others" });

  await everyone(async (user, here) => {
    const socket = await user.socketio();
    // Followed natively, no script per message. Where the server says the document itself, that is nobody's edit: it is
    // kept for `last`, and is no delivery.
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true }, keep: true });
    socket.receives(carets, { event: "cursor-change", at: "/cursor/tag" });
    socket.emit("join", { roomId: id, username: user.name });
    await socket.next("joined");
    await here("joined"); // a barrier: all five are in the room
    let mine = "";
    let seen: string | undefined;
    user.every("2s", () => {
      mine = edits.stamp(user, "let x = 1; // ");
      seen = socket.last(edits);
      socket.emit("code-change", { roomId: id, code: mine });
    });
    user.every("500ms", () =>
      socket.emit("cursor-change", { roomId: id, cursor: { line: 1, ch: 2, tag: carets.stamp(user) }, username: user.name }),
    );
    await user.stay(); // until the level ends
    // Two edits that crossed leave two texts where the server only passes them on: it is the server that has to say
    // which of them counts. This one waits for it.
    await user.think("4s");
    const last = socket.last(edits);
    user.state("document", last === undefined || last === seen ? mine : last); // what was heard since the own edit takes its place
  });
}
