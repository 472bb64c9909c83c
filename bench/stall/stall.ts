// An open load: 200 arrivals a second that do not wait for responses. 400 users are enough, because at most 200
// requests are in flight while the server stalls.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { rate: "200/s", users: 400, duration: "30s" },
};

export default async function visit({ users: [user] }: Group) {
  await user!.get("/stall/50ms/1s/10s/5002500us");
}
