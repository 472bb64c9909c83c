// A saturated pool of four threads.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 16, duration: "3s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/pool/2ms");
}
