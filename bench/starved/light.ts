// An open load that a core makes with ease.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "2000/s", users: 2000, duration: "3s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
}
