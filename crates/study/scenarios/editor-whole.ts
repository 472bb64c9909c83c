// Documents of a realistic size as whole texts: every edit sends the complete text to all others in the room, as the
// original does. Both levels have the same users, with documents of 2 KB and of 50 KB.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 5,
  load: { users: [100, 100], ramp: "2s", warmup: "1s", duration: "8s" },
  thresholds: {
    "delivery(edit)": ["p95 < 20ms", "lost == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
    "converged(document)": ["diverged == 0"],
    iterations: ["failed == 0"],
    connections: ["failed == 0"],
  },
  settle: "8s",
};

const LINE = "const answer = question.length * 42; // what else should it be?\n";

export default async function edit({ id, level, everyone, channel }: Group) {
  const document = LINE.repeat(Math.ceil((level.index === 0 ? 2_000 : 50_000) / LINE.length));
  const edits = channel("edit", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.socketio();
    // The server's snapshots of the document are stored for `last()`, but are not deliveries.
    socket.receives(edits, { event: "code-change", at: "/code", except: { "/document": true }, keep: true });
    socket.emit("join", { roomId: id, username: user.name });
    await socket.next("joined");
    await here("joined");
    let own = "";
    let heard: string | undefined;
    user.every("2s", () => {
      own = edits.stamp(user, document);
      heard = socket.last(edits);
      socket.emit("code-change", { roomId: id, code: own });
    });
    await user.stay();
    // If a user's last edit crossed with another one, the server sends the valid text once the room is quiet.
    await user.think("4s");
    // The text that the user sees now: the last one received, or the own one if none was received since.
    const last = socket.last(edits);
    user.state("document", (last === heard ? own : last)!);
  });
}
