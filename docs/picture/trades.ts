// Trades on the built-in marketplace at rising rates, until its limit. The picture in the README shows the report.
import type { Options, Setup } from "headcount";
import { people, trade, type Trade } from "../../crates/study/scenarios/marketplace-trade.ts";

export const options: Options = {
  group: { buyer: 1, sellers: 3 },
  load: {
    rate: ["20/s", "40/s", "60/s", "80/s", "120/s", "160/s"],
    arrivals: "poisson",
    users: 512,
    warmup: "1s",
    duration: "10s",
  },
  thresholds: {
    requests: ["p95 < 50ms", "failed == 0"],
    iterations: ["failed == 0", "dropped == 0"],
  },
};

export function setup(given: Setup) {
  return people(given, 128);
}

export default function flow(group: Trade) {
  return trade(group);
}
