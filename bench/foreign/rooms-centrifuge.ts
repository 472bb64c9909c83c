// Rooms of ten on a server with the Go library centrifuge: each user publishes twice a second, and everyone in the room
// receives it.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 10,
  load: { groups: 1 },
  thresholds: { "delivery(said)": ["p95 < 100ms", "lost == 0"], iterations: ["failed == 0"] },
};

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/connection/websocket");
    socket.receives(said, { at: "/push/pub/data/text", only: { "/push/channel": id } });
    await socket.request({ id: 1, connect: {} }, { name: "connect", by: "/id" });
    await socket.request({ id: 2, subscribe: { channel: id } }, { name: "subscribe", by: "/id" });
    await here("subscribed");
    let number = 2;
    const publish = () => socket.send({ id: ++number, publish: { channel: id, data: { text: said.stamp(user) } } });
    user.every("500ms", publish, { first: `${user.random(500)}ms` });
    await user.stay();
  });
}
