// An open load of 50000 arrivals a second, at a server that answers at once.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "50000/s", users: 2000, duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/0ms");
}
