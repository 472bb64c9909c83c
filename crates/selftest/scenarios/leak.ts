// A server that keeps 64 KiB of every request.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 4, hold: "3s" } };

export default async function ask({ users, think }: Group) {
  await users[0]!.get("/leak/65536");
  await think("10ms");
}
