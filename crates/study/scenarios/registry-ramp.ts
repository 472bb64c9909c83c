// The mix at rising rates.
import { type Options } from "headcount";
import { options as mix } from "./registry-mix.ts";

export { enumerate, multicast, register, setup } from "./registry-mix.ts";

export const options: Options = {
  ...mix,
  load: { rate: ["100/s", "500/s", "1000/s"], users: 2000, warmup: "1s", duration: "11s" },
};
