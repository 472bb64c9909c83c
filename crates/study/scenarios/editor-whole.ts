// Documents of a real size by whole document: every edit is the whole text, to everybody else in the room, as the original
// does it. The levels are the same people with 2 KB and with 50 KB.
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
    // Where the editor says the document itself, that is nobody's edit: it is kept, and no delivery.
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
    // Whose last edit crossed with another's is told the text that counts once the room is quiet.
    await user.think("4s");
    // What a person sees now: the last text heard, or the own one if nothing was heard since.
    const last = socket.last(edits);
    user.state("document", (last === heard ? own : last)!);
  });
}
