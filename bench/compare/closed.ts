// A closed loop of four users. The parameter WORK is a path of the truth server; the name of the request hides it.
import { env, type Group, type Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 4, warmup: "500ms", duration: "5s" },
  thresholds: { requests: ["p50 < 1s", "p95 < 1s"] },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get(env("WORK"), { name: "GET /" });
}
