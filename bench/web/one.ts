// One request and one check per iteration, as in most scripts.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 50, warmup: "1s", duration: "5s" },
};

export default async function visit({ users: [user], check }: Group) {
  const answer = await user!.get("/");
  check("is ok", answer.status === 200);
}
