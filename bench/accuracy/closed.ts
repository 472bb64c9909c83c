// A closed load: users send the next request as soon as they have the response.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 1000, duration: "5s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/delay/20ms");
}
