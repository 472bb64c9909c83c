// A closed loop over HTTP: post a message, check the response, think, repeat.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:4004", // headcount serve bridge
  load: { users: [5, 20], warmup: "1s", duration: "10s" },
  thresholds: {
    "request(POST /bridge/chat)": ["p95 < 50ms", "failed == 0"],
    checks: "failed == 0",
  },
};

export default async function chat({ users: [user], check, think }: Group) {
  const answer = await user!.post("/bridge/chat", {
    json: { user: user!.name, room: "Library", message: "Which book do you recommend?" },
  });
  check("has a reply", answer.json.reply.length > 0);
  check("is mine", answer.json.user === user!.name);

  const rooms = await user!.get("/bridge/rooms");
  check("the library is known", rooms.json.rooms.some((room: { room: string }) => room.room === "Library"));

  await think("100ms", "300ms");
}
