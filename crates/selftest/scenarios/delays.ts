// Fixed delays, requested by users who start at different times.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 90, once: true } };

export default async function ask({ number, users, think }: Group) {
  const user = users[0]!;
  await think(number * 3.3);
  // The first request opens the connection, so that the times of the others contain only the delay.
  await user.get("/healthz", { name: "first" });
  for (let n = 0; n < 12; n += 1) {
    await user.get("/delay/100ms");
    await user.get("/delay/200ms");
  }
}
