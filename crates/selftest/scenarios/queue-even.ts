// A burst of more arrivals than one server can handle, and then slightly fewer: the queue is long and shrinks slowly.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "50/s for 500ms, 1000/s for 200ms, 240/s for 3s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/queue/1/4ms");
}
