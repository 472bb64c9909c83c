// 50 users in a room: one of them sends 20 messages at once, and the others receive all of them.
import type { Group, Options } from "headcount";

const EVERY = "1ms";
const AT_ONCE = 20;

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 50,
  load: { groups: 1, duration: "5s" },
};

export default async function talk({ everyone, channel, users: [speaker] }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/r0");
    socket.receives(said);
    await here("listening");
    if (user === speaker) {
      user.every(EVERY, () => {
        for (let i = 0; i < AT_ONCE; i++) socket.send(said.stamp(user, '{"type":"said","pad":"0123456789012345678","text":"'));
      });
    }
    await user.stay();
  });
}
