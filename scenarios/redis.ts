// Rooms over Redis: each user publishes to the room's channel twice a second, and everyone in the room must receive each
// message once. The orders of a room go through a stream, from which one consumer takes and acknowledges them.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "redis://127.0.0.1:6379",
  group: 5, // five people in a room
  load: { users: 20, ramp: "1s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(texts)": ["p95 < 50ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    "roundTrip(PUBLISH)": ["p99 < 50ms", "failed == 0"],
  },
};

export default async function talk({ id, users, everyone, channel }: Group) {
  const texts = channel("texts", { to: "everyone" }); // Redis also sends a message back to a publisher who subscribed
  const [room, orders] = [`room:${id}`, `orders:${id}`];

  await everyone(async (user, here) => {
    const redis = await user.redis();
    const subscription = await redis.subscribe(room);
    subscription.receives(texts, { at: "/text" }); // tracked natively
    if (user === users[0]) await redis.call("XGROUP", "CREATE", orders, "kitchen", "$", "MKSTREAM");
    await here("listening"); // a barrier: waits until all have subscribed

    user.every("500ms", () => redis.pipeline([
      ["PUBLISH", room, JSON.stringify({ from: user.name, text: texts.stamp(user, "hello ") })],
      ["XADD", orders, "MAXLEN", "~", 1000, "*", "from", user.name],
    ]));
    if (user === users[0]) {
      const consumer = await user.redis(); // a blocking command delays the other commands of its connection
      user.every("100ms", async () => {
        const found = await consumer.call("XREADGROUP", "GROUP", "kitchen", user.name, "COUNT", 100, "STREAMS", orders, ">");
        const ids = found?.get(orders).map(([entry]: [string]) => entry) ?? [];
        if (ids.length > 0) await consumer.call("XACK", orders, "kitchen", ...ids);
      });
    }
    await user.stay(); // until the level ends
  });
}
