// More load than one core can generate: each iteration computes for about a millisecond.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "5000/s", users: 2000, duration: "3s" },
};

export default async function visit({ users: [user] }: Group) {
  let sum = 0;
  for (let i = 0; i < 50_000; i++) sum += i % 7;
  if (sum > 0) await user!.get("/delay/1ms");
}
