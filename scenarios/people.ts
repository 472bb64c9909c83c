// Accounts that are created before the measurement, and data from a file.
import { csv, type Group, type Options, type Setup } from "headcount";

export const options: Options = {
  target: "http://127.0.0.1:4004", // headcount serve bridge
  load: { users: 20, duration: "10s" },
  thresholds: { requests: "failed == 0", checks: "failed == 0" },
};

// Five rows for twenty users: the sixth user gets the first row again.
const people = csv<{ name: string; room: string; greeting: string }>("people.csv", { take: "cycle" });

// The return value becomes the user's `data`. The time of the setup is reported separately.
export async function setup({ pool }: Setup) {
  await pool(20, async (user, index) => {
    const { name, room, greeting } = people.at(index % people.length);
    const account = `${name}-${user.name}`; // `user.name` differs in every run, so that the target does not know it yet
    const answer = await user.post("/bridge/chat", { json: { user: account, room, message: greeting } });
    return { name: account, session: answer.json.session as string };
  });
}

export default async function greet({ users: [user], check, think }: Group) {
  const { name, session } = user!.data;
  const { room, greeting } = user!.row(people);
  const answer = await user!.post("/bridge/chat", { json: { user: name, session, room, message: greeting } });
  check("still my session", answer.json.session === session);
  await think("50ms", "150ms");
}
