// 60 users in rooms of 20 over Centrifugo's JSON protocol. Each publishes 250 messages, 50 a second: 60,000 deliveries
// a second, 300,000 in total.
import type { Group, Options } from "headcount";

export const options: Options = { group: 20, load: { users: 60, duration: "8s" }, settle: "20s", deadline: "20s" };

export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/connection/websocket");
    socket.receives(said, { at: "/push/pub/data/text", only: { "/push/channel": id } });
    await socket.request({ id: 1, connect: {} }, { name: "connect", by: "/id" });
    await socket.request({ id: 2, subscribe: { channel: id } }, { name: "subscribe", by: "/id" });
    await here("subscribed");
    let left = 250;
    const ticker = user.every("20ms", () => {
      socket.send({ id: 2 + left, publish: { channel: id, data: { text: said.stamp(user) } } });
      if (--left === 0) ticker.stop();
    });
    await user.stay();
  });
}
