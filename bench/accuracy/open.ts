// An open load. The command line sets the rate and the users.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "1000/s", users: 4000, duration: "5s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/20ms");
}
