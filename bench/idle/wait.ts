// Users who are connected and idle.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 100, ramp: "5s", duration: "5s" },
};

export default async function wait({ users: [user] }: Group) {
  await user!.websocket("/room/idle");
  await user!.stay();
}
