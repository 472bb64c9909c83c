// Random arrivals at eight servers that are busy 90 % of the time.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "120/s", arrivals: "poisson", duration: "9s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/queue/8/60ms");
}
