// Rooms of ten on a NATS server: each user publishes ten times a second, and everyone in the room receives it.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 10,
  load: { groups: 1 },
  thresholds: { "delivery(said)": ["p95 < 100ms", "lost == 0"], iterations: ["failed == 0"] },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const nats = await user.nats();
    (await nats.subscribe(`room.${id}`)).receives(said, { at: "/text" });
    await here("listening");
    user.every("100ms", () => nats.publish(`room.${id}`, { text: said.stamp(user) }), { first: `${user.random(100)}ms` });
    await user.stay();
  });
}
