// One cell of the grid: messages to all other members of a room.
import type { Group, Options, User } from "headcount";

export const options: Options = CELL_OPTIONS;
const cell = CELL_PARAMETERS;

export default async function meet({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const say = cell.isSocketIo ? await enterByEvent(user) : await enterByPath(user);
    await here("joined");
    if (cell.ticks) {
      user.every(cell.period, say);
      await user.stay();
      return;
    }
    for (let n = 0; n < cell.count; n += 1) {
      say();
      await user.think(cell.period);
    }
    await here("said");
  });

  async function enterByEvent(user: User) {
    const socket = await user.socketio();
    socket.receives(said, { event: "said" });
    await socket.request("join", id);
    return () => socket.emit("say", said.stamp(user));
  }

  async function enterByPath(user: User) {
    const socket = await user.websocket(`/room/${id}`, { name: "room" });
    socket.receives(said);
    return () => socket.send(said.stamp(user));
  }
}
