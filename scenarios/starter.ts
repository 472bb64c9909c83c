import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:4004",
  groups: 5, // one for each room; the users of a level are spread evenly
  load: { users: [20, 100], ramp: "1s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(said)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    iterations: "failed < 1%",
  },
  leftovers: { url: "/bridge/sessions?count", at: "/active" },
};

const rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];

// Called once for each group. Its users meet in one room, and each sends a message from time to time.
export default async function talk({ number, everyone, channel }: Group) {
  const room = rooms[number % rooms.length]!;
  const said = channel("said", { to: "everyone" });

  await everyone(async (user, here) => {
    const socket = await user.websocket("/bridge/ws", { query: { user: user.name, room } });
    await socket.next({ only: { "/type": "welcome" } });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    await here("listening"); // a barrier: waits until all of the group are in the room
    user.every("1s", () => socket.send({ type: "say", text: said.stamp(user, "Good morning ") }));
    await user.stay(); // until the level ends
    socket.send({ type: "end" }); // ends the session, so that no state is left for the next level
  });
}
