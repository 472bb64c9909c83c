import { Counter, Trend, csv } from "headcount";
import type { Failure, Roles, Setup, Teardown, User } from "headcount";
import { title } from "./words.ts";
import prices from "./prices.json" with { type: "json" };

type Cast = { buyer: 1; sellers: 3 };
interface Person extends Record<string, string> {
  email: string;
}

const people = csv<Person>("people.csv", { take: "cycle" });
const offersMade = new Counter("offers made");
const price = new Trend("price");

export const options = {
  group: { buyer: 1, sellers: 3 },
  load: { groups: [1, 2, 4], once: true },
};

export async function setup({ pool, user }: Setup): Promise<{ made: number }> {
  await user.get("/health");
  const made = await pool(4, async (one, i) => {
    const answer = await one.post("/users", { json: { email: `u${i}@example.test` }, expect: 409 });
    return { token: answer.json.token as string };
  });
  return { made: made.length };
}

async function signIn(user: User): Promise<void> {
  const person = user.row(people);
  await user.step("sign in", () => user.post("/session", { form: { email: person.email } }));
  user.header("Authorization", `Bearer ${user.data?.token ?? "none"}`);
}

export default async function trade(group: Roles<Cast, { made: number }>): Promise<void> {
  const { buyer, sellers, together, everyone, eventually, check } = group;
  await everyone(signIn);
  const request = await buyer.post("/requests", { json: { title: title("bike"), budget: 200 } });
  check("created", request.status === 201);
  const offers = await together(sellers, async (seller, i) => {
    const offer = await seller.post("/requests/:id/offers", {
      params: { id: request.json.id },
      json: { price: prices[i] },
    });
    offersMade.add();
    price.add(prices[i] ?? 0);
    return offer;
  });
  await buyer.post("/offers/:id/select", { params: { id: offers[0]?.json.id ?? 0 } });
  await eventually("offer seen", "2s", async () => (await sellers[0]!.get("/notifications")).json.items.length > 0);
  try {
    await buyer.get("/slow", { timeout: "10ms" });
  } catch (error) {
    const { side, kind } = error as Failure;
    console.warn("slow", side, kind);
  }
}

export async function teardown({ user, setup }: Teardown<{ made: number }>): Promise<void> {
  await user.delete("/users", { query: { most: setup.made } });
}
