// More logins at once than the queue can hold: the server must refuse the excess immediately, with a `Retry-After`.
import { Trend, type Group, type Options, type Setup } from "headcount";
import { admin } from "./marketplace-trade.ts";

export const options: Options = {
  group: 1,
  load: { users: 64, once: true, limit: "60s" },
  thresholds: { iterations: "failed == 0", checks: "failed == 0" },
};

const letIn = new Trend("let in after, ms");
const refused = new Trend("refused after, ms");
const comeBack = new Trend("come back after, s");

export async function setup({ user }: Setup) {
  await admin(user);
}

export default async function login({ users, check }: Group) {
  const json = { email: "admin@market.test", password: "correct horse" };
  const answer = await users[0]!.post("/api/auth/login", { json, name: "auth.login", expect: 503 });
  if (answer.status === 503) {
    const seconds = Number(answer.headers["retry-after"]);
    check("who is refused is told when to come back", seconds >= 1);
    refused.add(answer.time);
    comeBack.add(seconds);
  } else {
    check("who is not refused is let in", answer.ok);
    letIn.add(answer.time);
  }
}
