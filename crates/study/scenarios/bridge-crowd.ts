// Ten thousand idle users: the cost of an open session.
import type { Group, Options } from "headcount";

export const options: Options = {
  groups: 5,
  load: { users: [100, 10000], ramp: "8s", warmup: "1s", duration: "5s" },
  thresholds: { iterations: ["failed == 0"], connections: ["failed == 0"] },
  leftovers: { url: "/bridge/sessions?count", at: "/active" },
};

const rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];

export default async function listen({ number, everyone }: Group) {
  const room = rooms[number % rooms.length]!;
  await everyone(async (user) => {
    const socket = await user.websocket("/bridge/ws", { query: { user: user.name, room } });
    await socket.next({ only: { "/type": "welcome" } });
    await user.stay();
    socket.send({ type: "end" });
  });
}
