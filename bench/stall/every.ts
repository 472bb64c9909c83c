// One of 200 users starts every 5 ms. Each then sends a request per second, regardless of the responses.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 200, ramp: "1s", duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  user!.every("1s", () => user!.get("/stall/50ms/1s/10s/5002500us"), { first: 0 });
  await user!.stay();
}
