// Rooms of a collaborative editor over Socket.IO: an edit every two seconds and a caret twice a second, to all others.
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
    // Deliveries are tracked natively, without a call into the script per message. The server's snapshots of the
    // document are stored for `last()`, but are not deliveries.
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true }, keep: true });
    socket.receives(carets, { event: "cursor-change", at: "/cursor/tag" });
    socket.emit("join", { roomId: id, username: user.name });
    await socket.next("joined");
    await here("joined"); // a barrier: waits until all five are in the room
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
    // If a server only relays edits, two crossing edits leave different texts. The script waits until the server has
    // decided which text is valid.
    await user.think("4s");
    const last = socket.last(edits);
    user.state("document", last === undefined || last === seen ? mine : last); // a later text replaces the own edit
  });
}
