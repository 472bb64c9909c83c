// A server that leaks 1 MiB per request. A warm-up comes first. No requests are in flight when the server's memory is
// read, at the start and at the end of the measurement.
import type { Group, Options, Setup } from "headcount";

export const options: Options = { load: { users: 4, duration: "3s" } };

export async function setup({ user }: Setup) {
  for (let n = 0; n < 10; n += 1) {
    await user.get("/leak/8388608");
  }
}

export default async function ask(group: Group) {
  await group.think("300ms");
  for (let n = 0; n < 30 && group.active; n += 1) {
    await group.users[0]!.get("/leak/1048576");
    await group.think("50ms");
  }
  while (group.active) {
    await group.think("50ms");
  }
}
