// One cell of the grid: messages that the server returns.
import type { Group, Options } from "headcount";

export const options: Options = CELL_OPTIONS;
const cell = CELL_PARAMETERS;

export default async function talk(group: Group) {
  const user = group.users[0]!;
  if (cell.isSocketIo) {
    const socket = await user.socketio();
    for (let n = 0; n < cell.count && group.active; n += 1) await socket.request("echo", "hello");
    await socket.close();
  } else {
    const socket = await user.websocket("/echo");
    for (let n = 0; n < cell.count && group.active; n += 1) await socket.request("hello", { name: "echo" });
    await socket.close();
  }
}
