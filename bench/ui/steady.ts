// A steady open load, far below what one core can generate.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "4000/s", users: 400, warmup: "500ms", duration: "10s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
}
