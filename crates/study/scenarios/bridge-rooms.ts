// Rooms over WebSocket at human pace: each user sends a message every five seconds, which everyone in the room
// receives. One group is one room, so a message received in another room counts as misdelivered.
import type { Group, Options } from "headcount";

export const options: Options = {
  groups: 5,
  load: { users: [5, 10, 20, 50, 100, 200, 500, 1000], ramp: "2s", warmup: "1s", duration: "15s" },
  thresholds: {
    "delivery(said)": ["p95 < 20ms", "lost == 0", "late == 0", "duplicated == 0", "reordered == 0", "misdelivered == 0"],
    iterations: ["failed == 0"],
  },
  leftovers: { url: "/bridge/sessions?count", at: "/active" },
};

const rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];

export default async function talk({ number, everyone, channel }: Group) {
  const room = rooms[number % rooms.length]!;
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/bridge/ws", { query: { user: user.name, room } });
    await socket.next({ only: { "/type": "welcome" } });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    await here("listening");
    user.every("5s", () => socket.send({ type: "say", text: said.stamp(user, "Did you hear that? ") }));
    await user.stay();
    socket.send({ type: "end" });
  });
}
