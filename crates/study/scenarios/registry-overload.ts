// The mix at rates at which 3,000 receivers are more than one core can serve.
import { type Options } from "headcount";
import { options as mix } from "./registry-mix.ts";

export { enumerate, multicast, register, setup } from "./registry-mix.ts";

export const options: Options = {
  ...mix,
  load: { rate: ["200/s", "500/s", "1000/s"], users: 2000, warmup: "1s", duration: "6s" },
};
