// The field report's own test: every registration adds an identity, and nobody receives. The tags of the multicasts
// state how many identities were registered when they began.
import { Counter, type Group, type Options, Trend } from "headcount";

export const options: Options = {
  load: { rate: "100/s", users: 500, duration: "60s" },
  mix: { register: 50, enumerate: 30, multicast: 20 },
  thresholds: { iterations: ["failed == 0", "dropped == 0"] },
  timeouts: { total: "10s" },
};

const base = "/v1/default";
const online = { status: "online" };
const targets = new Trend("targets of a multicast");
const handedOver = new Counter("handed over to a receiver");
const withoutReceiver = new Counter("without a receiver");
let registered = 0;

export async function register({ users: [user] }: Group) {
  const identity = `loadtest-user-${++registered}`;
  const json = { identity, metadata: online, ttl_seconds: 300 };
  await user!.post(`${base}/register`, { json, name: "register" });
}

export async function enumerate({ users: [user] }: Group) {
  const json = { filter: online, limit: 1000, include_metadata: false };
  await user!.post(`${base}/enumerate`, { json, name: "enumerate" });
}

export async function multicast({ users: [user] }: Group) {
  const identities = registered < 1000 ? "0 to 999" : registered < 2000 ? "1000 to 1999" : "2000 or more";
  const json = { filter: online, payload: { type: "loadtest" }, timeout_ms: 0, results: "none" };
  const response = await user!.post(`${base}/multicast`, { json, name: "multicast", tags: { identities } });
  if (!response.ok) return;
  targets.add(response.json.target_count);
  handedOver.add(response.json.published_count);
  withoutReceiver.add(response.json.failed_count);
}
