// Replies that come back after a fixed delay, over WebSocket.
import type { Group, Options } from "headcount";

export const options: Options = { load: { users: 20, once: true } };

export default async function talk({ number, users, think }: Group) {
  const socket = await users[0]!.websocket("/echo?delay=40ms", { name: "echo" });
  await think(number * 1.9);
  for (let n = 0; n < 55; n += 1) {
    await socket.request("well?", { name: "echo" });
  }
  await socket.close();
}
