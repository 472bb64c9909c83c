// 200 users come one every 5 ms, and each asks once a second from then on, whatever the answers do.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 200, ramp: "1s", duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  user!.every("1s", () => user!.get("/stall/50ms/1s/10s/5002500us"), { first: 0 });
  await user!.stay();
}
