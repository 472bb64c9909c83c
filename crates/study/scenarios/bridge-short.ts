// The field report's test: each user sends 20 messages, and the run ends after some milliseconds.
// Like the report, it does not end its sessions.
import type { Group, Options } from "headcount";

export const options: Options = {
  group: 1,
  load: {
    users: [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20],
    once: true,
    limit: "20s",
  },
  leftovers: { url: "/bridge/sessions?count", at: "/active" },
};

const rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];

export default async function talk({ number, users }: Group) {
  const user = users[0]!;
  const room = rooms[number % rooms.length]!;
  for (let message = 0; message < 20; message++) {
    await user.post("/bridge/chat", { json: { user: user.name, room, message: "What is behind that door?" } });
  }
}
