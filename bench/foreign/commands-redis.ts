// One slow command of a Redis server, at a rate: a SORT of 10,000 elements, which takes some milliseconds.
import type { Group, Options, Setup } from "headcount";

export const options: Options = {
  load: { rate: "20/s", users: 200 },
  thresholds: { roundTrips: ["p95 < 50ms", "failed < 1%"] },
};

export async function setup({ user }: Setup) {
  const redis = await user.redis();
  const elements = Array.from({ length: 10_000 }, (_, at) => (at * 7919) % 10_007);
  await redis.call("DEL", "numbers");
  await redis.call("RPUSH", "numbers", ...elements);
}

export default async function sort({ users: [user] }: Group) {
  const redis = await user!.redis();
  await redis.call("SORT", "numbers", "LIMIT", 0, 10);
}
