// Stalls with messages: one user sends at a fixed rate, regardless of the server, and the other receives.
import type { Group, Options } from "headcount";

export const options: Options = { group: 2, load: { groups: 1, duration: "6s" } };

export default async function talk({ everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/stall?delay=40ms&stall=480ms/4s/1502500us", { name: "room" });
    socket.receives(said);
    await here("listening");
    if (user.index === 0) {
      user.every("5ms", () => socket.send(said.stamp(user)));
    }
    await user.stay();
  });
}
