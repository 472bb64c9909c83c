// One saturated thread.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 4, duration: "3s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/burn/2ms");
}
