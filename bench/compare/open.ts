// Random arrivals, so that requests wait in a queue for each other. WORK as in closed.ts.
import { env, type Group, type Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "200/s", arrivals: "poisson", users: 200, warmup: "500ms", duration: "5s" },
  thresholds: { requests: ["p50 < 1s", "p95 < 1s"] },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get(env("WORK"), { name: "GET /" });
}
