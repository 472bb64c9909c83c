// The field report's flow: each trade creates its own buyer and three sellers, who log in. All trades start together.
// The report's client gave up after 15 s. Here it waits longer, so that the time of every login is measured.
import type { Options, Setup } from "headcount";
import { admin, create, logIn, logInAlone, trade, type Trade } from "./marketplace-trade.ts";

export const options: Options = {
  group: { buyer: 1, sellers: 3 },
  load: { groups: [1, 2, 4, 8, 16, 20, 24, 32, 32, 64], once: true, limit: "200s" },
  timeouts: { total: "190s" },
  thresholds: {
    iterations: "failed == 0",
    checks: "failed == 0",
    "metric(requests without a password, ms)": "p95 < 50",
  },
};

export async function setup({ user }: Setup) {
  const by = await admin(user);
  await logInAlone(user, 8);
  return by;
}

export default async function flow(group: Trade) {
  const { users, together, step, setup } = group;
  await step("users.admin.create", () => together(users, (user, index) => create(user, index, setup)));
  await step("auth.login", () => together(users, logIn));
  await trade(group);
}
