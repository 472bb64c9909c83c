// 50,000 users join one room within ten seconds. When all have joined, one of them sends a message to all others.
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
