// 50 subscribers of one subject, each on a connection of its own. One more user publishes AT_ONCE messages every EVERY.
import type { Group, Options } from "headcount";

const EVERY = "1ms";
const AT_ONCE = 2;
const SUBSCRIBERS = 50;

export const options: Options = {
  group: SUBSCRIBERS + 1,
  load: { groups: 1, duration: "5s" },
};

export default async function talk({ everyone, channel, users: [publisher] }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const nats = await user.nats();
    if (user !== publisher) (await nats.subscribe("said")).receives(said);
    await here("listening");
    if (user === publisher) {
      user.every(EVERY, () => {
        for (let i = 0; i < AT_ONCE; i++) nats.publish("said", said.stamp(user, '{"type":"said","pad":"0123456789012345678","text":"'));
      });
    }
    await user.stay();
  });
}
