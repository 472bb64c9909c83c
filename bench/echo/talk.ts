// Each user sends a message and waits for its echo, repeatedly, on one socket until the measurement ends.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 50, duration: "5s" },
};

export default async function talk(group: Group) {
  const [user] = group.users;
  const socket = await user!.websocket("/echo");
  while (group.active) await socket.request("ping", { name: "echo" });
}
