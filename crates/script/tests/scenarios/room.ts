import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  group: 5,
  load: { users: [10, 30], duration: "30s", ramp: "5s" },
  thresholds: { "delivery(said)": ["p95 < 100ms", "lost == 0"] },
};

export default async function session({ id, everyone, channel }: Group): Promise<void> {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/rooms/:id", { params: { id } });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    socket.send({ type: "join", name: user.name });
    await here("joined");
    user.every("2s", () => socket.send({ type: "say", text: said.stamp(user, "hello ") }));
    await user.stay();
    await socket.close();
  });
}
