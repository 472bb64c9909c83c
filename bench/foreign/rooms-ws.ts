// Rooms of five on the npm package `ws`: each user says something twice a second, and everyone in the room receives it.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 5,
  load: { groups: 1 },
  thresholds: { "delivery(said)": ["p95 < 100ms", "lost == 0"], iterations: ["failed == 0"] },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/");
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    socket.send({ type: "join", room: id, name: user.name });
    await socket.next({ only: { "/type": "joined" } });
    await here("joined");
    user.every("500ms", () => socket.send({ type: "say", text: said.stamp(user) }), { first: `${user.random(500)}ms` });
    await user.stay();
  });
}
