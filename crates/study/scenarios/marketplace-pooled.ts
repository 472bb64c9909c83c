// The field report's trades, with users who are created and logged in before the measurement. 32 and 64 concurrent
// trades are repeated until each step has 200 samples, as a p95 requires.
import type { Options, Setup } from "headcount";
import { people, trade, type Trade } from "./marketplace-trade.ts";

export const options: Options = {
  group: { buyer: 1, sellers: 3 },
  load: { groups: [1, 2, 4, 8, 16, 20, 24, 32, 32, 32, 32, 32, 32, 32, 64, 64, 64, 64], once: true, limit: "60s" },
  thresholds: { iterations: "failed == 0", checks: "failed == 0" },
};

export function setup(given: Setup) {
  return people(given, 64);
}

export default function flow(group: Trade) {
  return trade(group);
}
