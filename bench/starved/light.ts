// An open load that one core generates easily.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "2000/s", users: 2000, duration: "3s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
}
