// People who come by chance to eight servers that are busy for nine tenths of the time.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "120/s", arrivals: "poisson", duration: "9s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/queue/8/60ms");
}
