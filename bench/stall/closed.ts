// A closed load: each of ten users waits for a response before the next request. A stall prevents further requests.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 10, duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/stall/50ms/1s/10s/5002500us");
}
