// More arrivals than one server can serve: each waits longer than the one before.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "50/s for 500ms, 300/s for 3s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/queue/1/4ms");
}
