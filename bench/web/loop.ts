// Requests in a loop: each user has one iteration, which lasts until the measurement ends.
import type { Group, Options } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:5000",
  load: { users: 50, warmup: "1s", duration: "5s" },
};

export default async function stay(group: Group) {
  const [user] = group.users;
  while (group.active) {
    const answer = await user!.get("/");
    group.check("is ok", answer.status === 200);
  }
}
