// 50 users with a connection each, in closed loops: GET of a value of three bytes.
import type { Group, Options } from "headcount";

export const options: Options = {
  load: { users: 50, duration: "5s" },
};

export default async function ask(group: Group) {
  const redis = await group.users[0]!.redis();
  while (group.active) await redis.call("GET", "key:__rand_int__");
}
