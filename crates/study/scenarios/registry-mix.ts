// The report's mix of operations, on a registry in which every identity really receives. Registrations renew existing
// identities, so that the number of receivers is constant and the figures describe one operating point.
import { audience, env, type Group, type Options, Trend, type Setup } from "headcount";

const receivers = Number(env("RECEIVERS", "3000"));
const base = "/v1/default";
const online = { status: "online" };
const name = (index: number) => `loadtest-user-${index + 1}`;

export const options: Options = {
  load: { rate: "100/s", users: 500, warmup: "1s", duration: "12s" },
  mix: { register: 50, enumerate: 30, multicast: 20 },
  thresholds: {
    iterations: ["failed == 0", "dropped == 0"],
    checks: "failed == 0",
    "delivery(multicast)": ["p95 < 100ms", "lost == 0", "late == 0", "duplicated == 0", "misdelivered == 0"],
  },
  timeouts: { total: "10s" },
};

const everyone = audience(receivers, {
  name: "receivers",
  receives: { multicast: { at: "/payload/text", only: { "/type": "message" }, deadline: "10s" } },
  connect: (index) => ({
    websocket: `${base}/inbox/ws`,
    query: { identity: name(index) },
    ready: { "/type": "ready" },
  }),
});

const targets = new Trend("targets of a multicast");
let renewed = 0;

const registration = (index: number) => ({ identity: name(index), metadata: online, ttl_seconds: 300, replace: true });

/** Registers all receivers, 16 at a time. */
export async function setup({ user, check }: Setup) {
  let next = 0;
  const lane = async () => {
    while (next < receivers) {
      const json = registration(next++);
      const response = await user.post(`${base}/register`, { json, name: "register beforehand" });
      if (check("a receiver is registered", response.ok)) continue;
      throw new Error(`HTTP status ${response.status}: ${response.text}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

export async function register({ users: [user] }: Group) {
  const json = registration(renewed++ % receivers);
  await user!.post(`${base}/register`, { json, name: "register" });
}

export async function enumerate({ users: [user] }: Group) {
  const json = { filter: online, limit: 1000, include_metadata: false };
  const response = await user!.post(`${base}/enumerate`, { json, name: "enumerate" });
  if (response.ok) user!.check("every identity is found", response.json.total === receivers);
}

export async function multicast({ users: [user], channel }: Group) {
  const message = channel("multicast", { to: everyone });
  const payload = { text: message.stamp(user!, "load test ") };
  const json = { filter: online, payload, timeout_ms: 0, results: "none" };
  const response = await user!.post(`${base}/multicast`, { json, name: "multicast" });
  if (response.ok) targets.add(response.json.target_count);
}
