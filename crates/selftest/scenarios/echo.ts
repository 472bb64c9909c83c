// Replies after a fixed delay, over WebSocket.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 40, once: true } };

export default async function talk({ number, users, think }: Group) {
  const socket = await users[0]!.websocket("/echo?delay=100ms", { name: "echo" });
  await think(number * 2.4);
  await socket.request("hello", { name: "first" });
  for (let n = 0; n < 27; n += 1) {
    await socket.request("well?", { name: "echo" });
  }
  await socket.close();
}
