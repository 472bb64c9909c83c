// Fixed delays, asked for by users who are out of step with each other.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 42, once: true } };

export default async function ask({ number, users, think }: Group) {
  const user = users[0]!;
  await think(number * 3.3);
  for (let n = 0; n < 25; n += 1) {
    await user.get("/delay/40ms");
    await user.get("/delay/100ms");
  }
}
