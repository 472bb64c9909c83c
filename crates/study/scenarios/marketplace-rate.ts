// Trades at random arrival times, regardless of the responses, at rising rates up to the limit.
import type { Options, Setup } from "headcount";
import { people, trade, type Trade } from "./marketplace-trade.ts";

export const options: Options = {
  group: { buyer: 1, sellers: 3 },
  load: {
    rate: ["20/s", "40/s", "80/s", "120/s", "160/s", "240/s", "320/s"],
    arrivals: "poisson",
    users: 512,
    warmup: "1s",
    duration: "5s",
  },
  thresholds: {
    iterations: ["failed == 0", "dropped == 0"],
    checks: "failed == 0",
    "metric(requests without a password, ms)": "p95 < 50",
  },
};

export function setup(given: Setup) {
  return people(given, 128);
}

export default function flow(group: Trade) {
  return trade(group);
}
