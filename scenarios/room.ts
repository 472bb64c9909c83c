// Chat rooms over WebSocket: each user sends a message twice a second, and everyone in the room must receive it once.
// The server replies to `join` with `joined`, and sends `said` to the room. Adapt the messages to a server of your own.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:8080",
  group: 5, // five people in a room
  load: { users: [10, 50], ramp: "1s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(said)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
  },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" }); // this server also sends messages back to their sender

  await everyone(async (user, here) => {
    const socket = await user.websocket("/");
    socket.receives(said, { at: "/text", only: { "/type": "said" } }); // tracked natively, without a script call
    socket.send({ type: "join", room: id, name: user.name });
    await socket.next({ only: { "/type": "joined" } });
    await here("joined"); // a barrier: waits until all have joined
    user.every("500ms", () => socket.send({ type: "say", text: said.stamp(user, "hello ") }));
    await user.stay(); // until the level ends
  });
}
