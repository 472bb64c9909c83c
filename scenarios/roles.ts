// Users with different roles: one announces over HTTP, three listen over WebSocket. Every group does this once,
// all at the same time.
import type { Options, Roles } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:4004", // headcount serve bridge
  group: { speaker: 1, listeners: 3 },
  load: { groups: [1, 5], once: true },
  thresholds: {
    "delivery(announcement)": ["delivered == 100%", "misdelivered == 0"],
    iterations: "failed == 0",
  },
};

const rooms = ["Tower", "Chapel", "Library", "Garden", "Dungeon"];

export default async function announce(group: Roles<{ speaker: 1; listeners: 3 }>) {
  const { number, speaker, listeners, together, eventually, step, channel, check } = group;
  const room = rooms[number % rooms.length]!;
  const announcement = channel("announcement", { to: listeners });

  // The three listeners connect at the same time.
  await together(listeners, async (listener) => {
    const socket = await listener.websocket("/bridge/ws", { query: { user: listener.name, room } });
    socket.receives(announcement, { at: "/text", only: { "/type": "said" } });
    await socket.next({ only: { "/type": "welcome" } });
  });

  // Measures the time until the speaker can see them. If it takes longer than 2 s, the iteration fails.
  await eventually("listeners seen", "2s", async () => {
    const seen = await speaker.get("/bridge/rooms");
    return seen.json.rooms.find((one: { room: string }) => one.room === room).listening >= listeners.length;
  });

  await step("announce", async () => {
    for (const word of ["Ladies", "and", "gentlemen"]) {
      const answer = await speaker.post("/bridge/chat", {
        json: { user: speaker.name, room, message: announcement.stamp(speaker, word) },
      });
      check("accepted", answer.status === 200);
      await speaker.think("200ms");
    }
  });
}
