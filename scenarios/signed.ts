// Signed requests: a secret from the environment, a signature over the body, and an idempotency key for each request.
//
//   headcount serve truth
//   headcount run scenarios/signed.ts --env WEBHOOK_SECRET
import { env, hash, hmac } from "headcount";
import type { Group, Options } from "headcount";

const secret = env("WEBHOOK_SECRET", "a secret for this machine only");
const hook = new URL("/slow-read/1000000", env("BASE", "http://127.0.0.1:4009"));
hook.searchParams.set("region", env("REGION", "eu"));

export const options: Options = {
  target: hook.origin,
  load: { users: 5, duration: "10s" },
  thresholds: { requests: "failed == 0" },
};

const template = { event: "paid", amount: 5, tags: ["first", "second"], id: "", trace: new Uint8Array(8) };

export default async function deliver({ users: [user], think }: Group) {
  const event = structuredClone(template);
  event.id = crypto.randomUUID();
  crypto.getRandomValues(event.trace);
  const body = JSON.stringify({ ...event, trace: btoa(String.fromCharCode(...event.trace)) });
  const answer = await user!.post(hook, {
    name: "deliver",
    body,
    headers: {
      "content-type": "application/json",
      "x-signature": hmac("sha256", secret, body),
      "x-body-hash": hash("sha512", body, "base64url"),
      "idempotency-key": event.id,
    },
  });
  user!.check("accepted", answer.status === 200);
  await think("20ms", "50ms");
}
