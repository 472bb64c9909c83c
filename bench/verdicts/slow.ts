// One response in five takes longer than the limit on p90 allows.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "300/s", users: 300, duration: "3s" },
  thresholds: { requests: "p90 < 250ms" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get(Math.random() < 0.2 ? "/delay/400ms" : "/delay/1ms", { name: "GET /" });
}
