// An open load of 1000 arrivals a second, on a server that responds immediately.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "1000/s", users: 200, duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/0ms");
}
