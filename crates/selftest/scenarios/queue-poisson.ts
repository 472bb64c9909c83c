// People who come by chance to four servers that are busy for four fifths of the time.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "130/s", arrivals: "poisson", hold: "9s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/queue/4/25ms");
}
