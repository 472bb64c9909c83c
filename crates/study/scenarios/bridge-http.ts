// The field report's workload: every user posts one message after the other, without a pause.
// An iteration is one conversation. It ends its session, so that no state is left for the next level.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 1,
  load: { users: [5, 10, 20], warmup: "2s", duration: "10s" },
  thresholds: { requests: ["failed == 0"], iterations: ["failed == 0"], checks: ["failed == 0"] },
  leftovers: { url: "/bridge/sessions?count", at: "/active" },
};

const rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];

export default async function talk(group: Group) {
  const user = group.users[0]!;
  const room = rooms[group.number % rooms.length]!;
  const first = await user.post("/bridge/chat", { json: { user: user.name, room, message: "Good morning" } });
  const session: string = first.json.session;
  let sequence: number = first.json.sequence;
  while (group.active) {
    const answer = await user.post("/bridge/chat", { json: { user: user.name, session, message: "What is behind that door?" } });
    sequence += 1;
    user.check("the conversation is this user's own", answer.json.sequence === sequence);
  }
  await user.delete("/bridge/sessions/:id", { params: { id: session } });
}
