// Chat rooms over WebSocket: everyone says something twice a second, and everyone in the room must hear it, once.
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
  const said = channel("said", { to: "everyone" }); // this server sends a speaker their own words too

  await everyone(async (user, here) => {
    const socket = await user.websocket("/");
    socket.receives(said, { at: "/text", only: { "/type": "said" } }); // followed natively, no script per message
    socket.send({ type: "join", room: id, name: user.name });
    await socket.next({ only: { "/type": "joined" } });
    await here("joined"); // a barrier: nobody speaks before all are there
    user.every("500ms", () => socket.send({ type: "say", text: said.stamp(user, "hello ") }));
    await user.stay(); // until the level ends
  });
}
