// The mix for a long time: half of the operations register new identities that nobody renews, so that each of them
// expires after five minutes. The receivers' registrations do not expire.
import { audience, env, Gauge, type Group, type Options, type Setup } from "headcount";

const receivers = Number(env("RECEIVERS", "300"));
const seconds = Number(env("TTL_SECONDS", "300"));
const base = "/v1/default";
const listening = { listening: true };
const passing = { listening: false };

export const options: Options = {
  load: { rate: "100/s", users: 500, warmup: "1s", duration: env("DURATION", "10m") },
  mix: { register: 50, enumerate: 30, multicast: 20 },
  thresholds: {
    iterations: ["failed == 0", "dropped == 0"],
    checks: "failed == 0",
    "delivery(multicast)": ["p95 < 100ms", "lost == 0", "late == 0", "duplicated == 0", "misdelivered == 0"],
  },
};

const everyone = audience(receivers, {
  name: "receivers",
  receives: { multicast: { at: "/payload/text", only: { "/type": "message" } } },
  connect: (index) => ({
    websocket: `${base}/inbox/ws`,
    query: { identity: `receiver-${index}` },
    ready: { "/type": "ready" },
  }),
});

const alive = new Gauge("registrations that have not expired");
/** The times of the registrations that may not have expired yet, oldest first. */
const registered: number[] = [];
let count = 0;
let inFlight = 0;

export async function setup({ user, check }: Setup) {
  for (let index = 0; index < receivers; index++) {
    const json = { identity: `receiver-${index}`, metadata: listening };
    const response = await user.post(`${base}/register`, { json, name: "register beforehand" });
    if (check("a receiver is registered", response.ok)) continue;
    throw new Error(`HTTP status ${response.status}: ${response.text}`);
  }
}

export async function register({ users: [user] }: Group) {
  const json = { identity: `passing-${++count}`, metadata: passing, ttl_seconds: seconds };
  inFlight += 1;
  try {
    const response = await user!.post(`${base}/register`, { json, name: "register" });
    if (response.ok) registered.push(performance.now());
  } finally {
    inFlight -= 1;
  }
}

/** A registration whose time ended more than two seconds ago must not be found. */
export async function enumerate({ users: [user] }: Group) {
  const ended = performance.now() - (seconds + 2) * 1000;
  while (registered.length > 0 && registered[0]! < ended) registered.shift();
  const response = await user!.post(`${base}/enumerate`, { json: { filter: passing, limit: 1 }, name: "enumerate" });
  if (!response.ok) return;
  alive.set(response.json.total);
  user!.check("no registration outlives its time", response.json.total <= registered.length + inFlight);
}

export async function multicast({ users: [user], channel }: Group) {
  const message = channel("multicast", { to: everyone });
  const payload = { text: message.stamp(user!, "load test ") };
  const json = { filter: listening, payload, timeout_ms: 0, results: "none" };
  await user!.post(`${base}/multicast`, { json, name: "multicast" });
}
