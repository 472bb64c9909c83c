// Every kind of failed request.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 10, once: true } };

export default async function ask({ users }: Group) {
  const user = users[0]!;
  // A transport failure throws. Here the failure is expected.
  const fail = (url: string, name: string, timeout?: string) => user.get(url, { name, timeout }).catch(() => undefined);
  // Resets come first, on new connections. On a reused connection, an interrupted GET would be repeated.
  for (let n = 0; n < 5; n += 1) {
    await fail("/reset", "reset");
  }
  for (let n = 0; n < 30; n += 1) {
    await user.get("/error/7", { name: "error" });
    await user.get("/limit/100/1m", { name: "limit" });
  }
  for (let n = 0; n < 5; n += 1) {
    await fail("http://127.0.0.1:1/", "refused");
    await fail("/hang", "hang", "250ms");
  }
}
