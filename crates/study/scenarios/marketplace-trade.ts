// A trade as in the field report, operation by operation. The scenarios of the marketplace share this module.
import { Trend, type Response, type Roles, type Setup, type User } from "headcount";

export type Trade = Roles<{ buyer: 1; sellers: 3 }>;

/** The admin account that the marketplace creates at its start. */
const ADMIN = { email: "admin@market.test", password: "correct horse" };
const PASSWORD = "correct horse";
const REQUESTS = "/api/marketplace/purchase-requests";

const others = new Trend("requests without a password, ms");

/** Fails the trade if a request was refused. */
function done(answer: Response): Response {
  if (!answer.ok) throw new Error(`refused with HTTP status ${answer.status}`);
  return answer;
}

/** Like `done`, for a request that hashes no password. */
function quick(answer: Response): Response {
  others.add(answer.time);
  return done(answer);
}

async function login(user: User, email: string, password: string, name: string): Promise<string> {
  const session = done(await user.post("/api/auth/login", { json: { email, password }, name }));
  return `Bearer ${session.json.accessToken}`;
}

/** Logs the admin in, and returns the tokens for later requests. */
export function admin(user: User): Promise<string> {
  return login(user, ADMIN.email, ADMIN.password, "auth.login of the admin");
}

/** Measures the cost of one password: consecutive logins without other load. */
export async function logInAlone(user: User, times: number) {
  for (let time = 0; time < times; time++) {
    await login(user, ADMIN.email, ADMIN.password, "auth.login alone");
  }
}

/** The role of a user by the index in its trade: 0 is the buyer, 1 to 3 are sellers. */
const role = (index: number) => (index === 0 ? "buyer" : "seller");

function email(user: User) {
  return `${user.name}@market.test`;
}

function requestCreation(user: User, index: number, by: string) {
  const json = { email: email(user), password: PASSWORD, name: user.name, role: role(index) };
  return user.post("/api/users/admin", { json, headers: { authorization: by }, name: "users.admin.create" });
}

export async function create(user: User, index: number, by: string) {
  done(await requestCreation(user, index, by));
}

export async function logIn(user: User): Promise<string> {
  const token = await login(user, email(user), PASSWORD, "auth.login");
  user.header("authorization", token);
  return token;
}

/** Creates buyers and sellers for this number of concurrent trades, before the measurement. */
export async function people({ user, pool }: Setup, trades: number) {
  const by = await admin(user);
  await pool(4 * trades, async (one, index) => {
    const created = await requestCreation(one, index % 4, by);
    // The trials of a search share one marketplace, in which the users exist from the second trial on.
    if (created.status !== 409) done(created);
    await logIn(one);
  });
}

/** One trade from the request to the payout, with its notifications. */
export async function trade({ buyer, sellers, users, together, step, eventually, check }: Trade) {
  const request: string = await step("purchaseRequests.create", async () => {
    const json = { title: "A bicycle", description: "Blue, with a basket", currency: "EUR", budget: 50_000 };
    return quick(await buyer.post(REQUESTS, { json, name: "marketplace.purchaseRequests.create" })).json.id;
  });
  const params = { request };
  const offers = await step("offers.create", () =>
    together(sellers, async (seller, index): Promise<string> => {
      const json = { price: { amount: 40_000 + 1_000 * index, currency: "EUR" }, message: "As good as new" };
      const name = "marketplace.offers.create";
      return quick(await seller.post(`${REQUESTS}/:request/offers`, { params, json, name })).json.id;
    }));
  await step("offers.select", async () => {
    const [offer] = offers;
    const name = "marketplace.offers.select";
    quick(await buyer.post(`${REQUESTS}/:request/offers/:offer/select`, { params: { request, offer: offer! }, json: {}, name }));
  });
  const seller = sellers[0]!;
  await eventually("offer-accepted seen", "2s", async () => (await told(seller, request)).includes("offer_accepted"));
  await step("status.payment", async () => {
    const name = "marketplace.purchaseRequests.status.payment";
    quick(await buyer.post(`${REQUESTS}/:request/status/payment`, { params, json: {}, name }));
  });
  await step("delivery.update", async () => {
    const json = { status: "shipped", tracking: "T-1" };
    quick(await seller.post(`${REQUESTS}/:request/delivery`, { params, json, name: "marketplace.delivery.update" }));
  });
  await step("delivery.confirm", async () => {
    const name = "marketplace.delivery.confirm";
    const answer = quick(await buyer.post(`${REQUESTS}/:request/delivery/confirm`, { params, json: {}, name }));
    check("the trade is completed", answer.json.state === "completed");
  });
  await step("notifications.list", async () => {
    const lists = await together(users, (user) => told(user, request));
    check("everybody was told of everything, once", lists.every((list, index) => list.join() === TOLD[Math.min(index, 2)]));
  });
}

/** The notifications of the buyer, of the selected seller and of the others, newest first. */
const TOLD = [
  "delivery_updated,offer_received,offer_received,offer_received",
  "delivery_confirmed,payment_received,offer_accepted",
  "offer_lost",
];

/** The kinds of a user's notifications of this trade. */
async function told(user: User, request: string): Promise<string[]> {
  const list = quick(await user.get("/api/notifications", { name: "notifications.list" })).json;
  const items: { kind: string; requestId: string }[] = list.items;
  return items.filter((item) => item.requestId === request).map((item) => item.kind);
}
