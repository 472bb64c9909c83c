// Two rooms of ten with injected faults of every kind.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 10,
  load: { groups: 2, duration: "8s" },
  settle: "2s",
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const url = "/room/:id?drop=101&duplicate=211&swap=53&stray=503";
    const socket = await user.websocket(url, { name: "room", params: { id } });
    socket.receives(said);
    await here("listening");
    user.every("10ms", () => {
      for (let n = 0; n < 8; n += 1) {
        socket.send(said.stamp(user));
      }
    });
    await user.stay();
  });
}
