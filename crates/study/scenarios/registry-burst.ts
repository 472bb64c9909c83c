// The mix in three bursts with silence in between.
import { env, type Options } from "headcount";
import { options as mix } from "./registry-mix.ts";

export { enumerate, multicast, register, setup } from "./registry-mix.ts";

export const options: Options = {
  ...mix,
  load: { rate: `500/s for 10s, nothing for ${env("SILENCE", "5s")}, 3 times`, users: 1000 },
};
