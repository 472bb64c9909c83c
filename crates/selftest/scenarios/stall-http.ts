// An open load against a server that stalls repeatedly.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "200/s", duration: "6s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/stall/40ms/480ms/4s/1502500us");
}
