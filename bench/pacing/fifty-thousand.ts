// An open load of 50000 arrivals a second, on a server that responds immediately.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "50000/s", users: 2000, duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/0ms");
}
