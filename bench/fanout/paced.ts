// 50 users in rooms of 10: each sends a message every 50 ms, which all ten receive, including the sender.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 10,
  load: { groups: 5, duration: "5s" },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/:id?echo=1", { params: { id }, name: "/room" });
    socket.receives(said);
    await here("listening");
    user.every("50ms", () => socket.send(said.stamp(user, '{"type":"said","pad":"0123456789012345678","text":"')));
    await user.stay();
  });
}
