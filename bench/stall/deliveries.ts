// Deliveries: one user sends every 5 ms, and the other receives each message 50 ms later, or after the stall.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 2,
  load: { groups: 1, duration: "30s" },
};

export default async function talk({ everyone, channel, users: [sender] }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/stall?delay=50ms&stall=1s/10s/5002500us");
    socket.receives(said);
    await here("listening");
    if (user === sender) {
      user.every("5ms", () => socket.send(said.stamp(user)));
    }
    await user.stay();
  });
}
