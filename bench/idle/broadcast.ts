// 50,000 in one room, who come within ten seconds. When all are there, one of them says something, and everybody else
// hears it.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 50_000,
  deadline: "10s",
  load: { groups: 1, duration: "30s" },
  timeouts: { connect: "30s" },
};

export default async function hear({ everyone, channel, users }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    await user.think((10_000 * user.index) / users.length);
    const socket = await user.websocket("/room/all");
    socket.receives(said);
    await here("connected");
    if (user === users[0]) socket.send(said.stamp(user));
    await user.stay();
  });
}
