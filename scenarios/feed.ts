// Rooms whose members receive posts as server-sent events: each user posts over HTTP twice a second, and everyone in the
// room must receive each post once.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:8080",
  group: 5, // five people in a room
  load: { users: 20, ramp: "1s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(posts)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    "request(POST /rooms/:room/posts)": "failed == 0",
  },
};

export default async function follow({ id, everyone, channel }: Group) {
  const posts = channel("posts", { to: "everyone" }); // this server also sends posts back to their author
  const params = { room: id };

  await everyone(async (user, here) => {
    const feed = await user.events("/rooms/:room/feed", { params, query: { user: user.name } });
    feed.receives(posts, { event: "post", at: "/text" }); // tracked natively, also after the stream reconnects
    await here("listening"); // a barrier: waits until all listen
    user.every("500ms", () =>
      user.post("/rooms/:room/posts", { params, json: { text: posts.stamp(user, "hello ") } }));
    await user.stay(); // until the level ends
  });
}
