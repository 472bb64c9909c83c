// Arrivals that wait for nobody, at a server that falls silent again and again.
import type { Group, Options } from "headcount";

export const options: Options = { load: { rate: "200/s", duration: "6s" } };

export default async function ask({ users }: Group) {
  await users[0]!.get("/stall/40ms/480ms/4s/1502500us");
}
