// The built-in registry (`headcount serve registry`): the members of a group register with the group's name as metadata,
// and listen on their inboxes. Each member multicasts to the group, and everyone must receive each message once.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:4100",
  group: 5,
  load: { users: 50, ramp: "1s", warmup: "1s", duration: "10s" },
  thresholds: {
    "delivery(multicast)": ["p95 < 100ms", "lost == 0", "duplicated == 0", "misdelivered == 0"],
    "request(enumerate)": ["p95 < 20ms", "failed == 0"],
  },
};

const base = "/v1/default";

export default async function meet({ id, everyone, channel }: Group) {
  const multicast = channel("multicast", { to: "everyone" }); // the filter also finds the sender
  const filter = { group: id };

  await everyone(async (user, here) => {
    const identity = user.name;
    await user.post(`${base}/register`, {
      json: { identity, metadata: filter, ttl_seconds: 60, replace: true },
      name: "register",
    });
    const inbox = await user.websocket(`${base}/inbox/ws`, { query: { identity } });
    await inbox.next({ only: { "/type": "ready" } });
    inbox.receives(multicast, { at: "/payload/text", only: { "/type": "message" } }); // tracked natively
    await here("listening"); // a barrier: waits until all listen
    user.every("1s", async () => {
      const payload = { text: multicast.stamp(user, "hello ") };
      await user.post(`${base}/multicast`, { json: { filter, payload, timeout_ms: 0 }, name: "multicast" });
    });
    user.every("2s", async () => {
      await user.post(`${base}/enumerate`, { json: { filter }, name: "enumerate" });
    });
    user.every("20s", async () => {
      await user.post(`${base}/refresh`, { json: { identity }, name: "refresh" });
    });
    await user.stay(); // until the level ends
    await user.post(`${base}/unregister`, { json: { identity }, name: "unregister" });
  });
}
