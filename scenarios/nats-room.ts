// Rooms on a NATS server: each user publishes to the room's subject twice a second, and everyone in the room must
// receive each message once. Users also send requests to a service, which a member of the room provides.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "nats://127.0.0.1:4222",
  group: 5, // five people in a room
  load: { users: 20, ramp: "1s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(said)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    "roundTrip(who is here)": ["p95 < 100ms", "failed == 0"],
  },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" }); // a NATS connection also receives its own messages

  await everyone(async (user, here) => {
    const nats = await user.nats();
    const room = await nats.subscribe(`room.${id}.said`);
    room.receives(said, { at: "/text" }); // tracked natively
    if (user.index === 0) {
      const service = await nats.subscribe(`room.${id}.who`);
      service.on("message", (message) => message.respond({ members: 5 }));
    }
    await here("listening"); // a barrier: waits until all listen
    user.every("500ms", () => nats.publish(`room.${id}.said`, { text: said.stamp(user, "hello ") }));
    user.every("2s", async () => {
      await nats.request(`room.${id}.who`, "", { name: "who is here" });
    });
    await user.stay(); // until the level ends
  });
}
