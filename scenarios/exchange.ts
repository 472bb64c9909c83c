// Requests and replies over one WebSocket, matched by an id. Each round trip is timed, regardless of other messages in
// between. The server replies to each `ask` with a message of the same id. Adapt the messages to a server of your own.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:8080",
  load: { users: [10, 50], duration: "10s" },
  thresholds: { "roundTrip(ask)": ["p95 < 50ms", "failed == 0"] },
};

export default async function ask({ users: [user], check }: Group) {
  const socket = await user!.websocket("/");
  for (let id = 1; id <= 20; id++) {
    const answer = await socket.request({ type: "ask", text: "and now?", id }, { name: "ask", by: "/id", timeout: "2s" });
    check("the answer to this question", answer.id === id);
    await user!.think("10ms", "50ms");
  }
  await socket.close();
}
