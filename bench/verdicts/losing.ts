// One delivery in twenty is never made.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 4,
  load: { groups: 10, duration: "3s" },
  settle: "1s",
  thresholds: { "delivery(said)": "lost == 0" },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/" + id + "?drop=20");
    socket.receives(said, { at: "/text" });
    await here("joined");
    user.every("200ms", () => socket.send(JSON.stringify({ text: said.stamp(user, "hello") })));
    await user.stay();
  });
}
