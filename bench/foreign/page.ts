// Requests for one page at a rate, on connections that stay open.
import { env, type Group, type Options } from "headcount";

export const options: Options = {
  load: { rate: "20/s", users: 400 },
  thresholds: { requests: ["p95 < 100ms", "failed < 1%"] },
};

const path = env("PAGE", "/");

export default async function page({ users: [user] }: Group) {
  await user!.get(path, { name: "page", headers: { "accept-encoding": "gzip" } });
}
