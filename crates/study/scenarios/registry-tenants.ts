// Ten namespaces at once, each with identities, receivers, a token and a channel of its own. A message that a receiver of
// another namespace gets counts as misdelivered.
import { audience, type Audience, env, type Group, type Options, type Setup } from "headcount";

const tenants = 10;
const receivers = Number(env("RECEIVERS", "100"));
const online = { status: "online" };

export const options: Options = {
  groups: tenants,
  load: { users: tenants, warmup: "1s", duration: "10s" },
  thresholds: {
    iterations: "failed == 0",
    checks: "failed == 0",
    "delivery(multicast)": ["p95 < 100ms", "lost == 0", "late == 0", "duplicated == 0", "misdelivered == 0"],
  },
};

const base = (tenant: number) => `/v1/tenant-${tenant}`;
const token = (tenant: number) => ({ authorization: `Bearer token-${tenant}` });
const name = (index: number) => `loadtest-user-${index + 1}`;

// The same names in every namespace, so that nothing but the namespace separates them.
const audiences: Audience[] = Array.from({ length: tenants }, (_, tenant) =>
  audience(receivers, {
    name: `receivers of tenant-${tenant}`,
    receives: { multicast: { at: "/payload/text", only: { "/type": "message" } } },
    connect: (index) => ({
      websocket: `${base(tenant)}/inbox/ws`,
      query: { identity: name(index) },
      headers: token(tenant),
      ready: { "/type": "ready" },
    }),
  }),
);

export async function setup({ user, check }: Setup) {
  const lane = async (tenant: number) => {
    for (let index = 0; index < receivers; index++) {
      const json = { identity: name(index), metadata: online, ttl_seconds: 300 };
      const request = { json, headers: token(tenant), name: "register beforehand" };
      const response = await user.post(`${base(tenant)}/register`, request);
      if (check("a receiver is registered", response.ok)) continue;
      throw new Error(`HTTP status ${response.status}: ${response.text}`);
    }
  };
  await Promise.all(audiences.map((_, tenant) => lane(tenant)));
}

export default async function work({ number, users, channel }: Group) {
  const tenant = number % tenants;
  const user = users[0]!;
  const message = channel("multicast", { to: audiences[tenant]! });
  const post = (operation: string, json: object, of = tenant) =>
    user.post(`${base(of)}/${operation}`, { json, headers: token(tenant), name: operation });
  let renewed = 0;
  user.every("200ms", async () => {
    const json = { identity: name(renewed++ % receivers), metadata: online, ttl_seconds: 300, replace: true };
    await post("register", json);
  });
  user.every("333ms", async () => {
    const response = await post("enumerate", { filter: online, limit: 1, include_metadata: false });
    user.check("a tenant finds only its own identities", response.json.total === receivers);
  });
  user.every("500ms", async () => {
    const payload = { text: message.stamp(user, "load test ") };
    const response = await post("multicast", { filter: online, payload, timeout_ms: 0, results: "none" });
    user.check("a multicast has only the tenant's targets", response.json.target_count === receivers);
  });
  user.every("1s", async () => {
    const json = { filter: online, payload: { text: "foreign" }, timeout_ms: 0, results: "none" };
    const request = { json, headers: token(tenant), name: "multicast to another tenant", expect: 401 };
    const response = await user.post(`${base((tenant + 1) % tenants)}/multicast`, request);
    user.check("a tenant cannot send to another one", response.status === 401);
  });
  await user.stay();
}
