// One response in fifty is an error.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "300/s", users: 300, duration: "3s" },
  thresholds: { requests: "failed < 1%" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/error/50");
}
