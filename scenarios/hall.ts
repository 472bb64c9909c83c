// One speaker and many listeners in a room of a WebSocket relay (`headcount serve truth`). The listeners have no script:
// headcount connects them natively, and each must receive every message once.
import { audience, env, type Group, type Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:4009",
  load: { users: 1, warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(said)": ["p95 < 200ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
  },
};

const listeners = audience(Number(env("LISTENERS", "1000")), {
  receives: { said: { at: "/text" } },
  connect: () => ({ websocket: "/room/hall" }),
});

export default async function speak({ users: [speaker], channel }: Group) {
  const said = channel("said", { to: listeners });
  const socket = await speaker!.websocket("/room/hall");
  speaker!.every("500ms", () => socket.send({ text: said.stamp(speaker!, "hello ") }));
  await speaker!.stay(); // until the level ends
}
