// A closed load on a healthy server, whose users pause between requests.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 60, duration: "3s" },
  thresholds: { requests: ["p95 < 250ms", "failed == 0"], iterations: "failed == 0" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
  await user!.think("200ms");
}
