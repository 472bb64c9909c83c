// Checks after the trades that the money adds up and that every notification was sent exactly once. The marketplace
// checks all of its stored data against its own rules.
import { Gauge, type Group, type Options } from "headcount";
import { admin } from "./marketplace-trade.ts";

export const options: Options = {
  group: 1,
  load: { users: 1, once: true, limit: "60s" },
  headers: { "x-forwarded-for": "192.0.2.1" }, // with a rate limit: another address than the trades use
  thresholds: { iterations: "failed == 0", checks: "failed == 0" },
};

const broken = new Gauge("broken promises");
const balances = new Gauge("sum of all accounts");
const paid = new Gauge("paid by buyers");
const held = new Gauge("in escrow");
const earned = new Gauge("earned by sellers");
const kept = new Gauge("kept as fees");

export default async function look({ users: [user], check }: Group) {
  const authorization = await admin(user!);
  const { json } = await user!.get("/api/admin/ledger", { headers: { authorization } });
  check("the ledger is balanced", json.balanced);
  broken.set(json.broken.length);
  const entries: { account: string; balance: number }[] = json.balances;
  const on = (account: string) => entries.reduce((sum, one) => sum + (one.account === account ? one.balance : 0), 0);
  paid.set(-on("buyer"));
  held.set(on("escrow"));
  earned.set(on("seller"));
  kept.set(on("fee"));
  balances.set(entries.reduce((sum, one) => sum + one.balance, 0));
}
