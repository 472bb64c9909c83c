//! JetStream: stored messages, and what happens to them.

use serde_json::Value;

use super::calls::passes;
use super::server::NatsServer;
use crate::harness::Lab;

const STREAM: &str = r#"
  const nats = await user.nats();
  const js = nats.jetstream;
  await js.api("STREAM.CREATE.ORDERS", { name: "ORDERS", subjects: ["orders.>"], storage: "memory" });
  await js.api("CONSUMER.DURABLE.CREATE.ORDERS.work", {
    stream_name: "ORDERS", config: { durable_name: "work", ack_policy: "explicit", ack_wait: 30e9 },
  });
  const state = async () => (await js.api("CONSUMER.INFO.ORDERS.work"));
"#;

fn server() -> NatsServer {
    NatsServer::start("jetstream: enabled")
}

#[test]
fn a_publication_is_confirmed_and_a_repeated_id_is_a_duplicate() {
    let lab = passes(
        &server(),
        4,
        &format!(
            "{STREAM}{}",
            r#"
  const first = await js.publish("orders.new", { n: 1 }, { id: "a" });
  check("first", first.stream === "ORDERS" && first.sequence === 1 && !first.duplicate);
  const again = await js.publish("orders.new", { n: 1 }, { id: "a", headers: { X: "y" } });
  check("again", again.sequence === 1 && again.duplicate);
  try {
    await js.api("STREAM.INFO.OTHER");
  } catch (error) {
    check("an error", (error as Failure).kind === "denied" && (error as Failure).message.includes("stream not found"));
  }
  try {
    await js.publish("elsewhere", "x");
  } catch (error) {
    check("no stream", (error as Failure).kind === "refused");
  }
"#
        ),
    );
    let record = lab.record();
    let trips = &record["levels"][0]["measured"]["round_trips"];
    assert_eq!(trips["orders.new"]["count"], 2, "{trips:#}");
    assert_eq!(trips["$JS.API.STREAM.CREATE"]["count"], 1, "{trips:#}");
    let failed = lab.failure("target", "denied", "$JS.API.STREAM.INFO");
    assert_eq!(failed["count"], 1);
}

#[test]
fn fetched_messages_are_acknowledged_delivered_again_or_given_up() {
    let lab = passes(
        &server(),
        6,
        &format!(
            "{STREAM}{}",
            r#"
  for (let n = 0; n < 150; n++) nats.publish("orders.new", { n });
  const work = js.consumer("ORDERS", "work");
  const [most, rest] = await Promise.all([work.fetch(147), work.fetch(10, { timeout: "500ms" })]);
  check("in order", most.every((message, n) => message.json.n === n && message.sequence === n + 1));
  check("fewer at the end", rest.length === 3 && rest[0]!.stream === "ORDERS" && rest[0]!.delivered === 1);
  for (const message of most) message.ack();
  rest[0]!.term();
  rest[1]!.progress();
  rest[1]!.nak();
  rest[2]!.nak({ delay: "300ms" });
  const again = await work.fetch(1);
  check("again", again[0]!.json.n === 148 && again[0]!.delivered === 2);
  again[0]!.ack();
  const later = await work.fetch(1);
  check("later", later[0]!.json.n === 149);
  later[0]!.ack();
  await nats.flush();
  const info = await state();
  check("all are settled", info.num_ack_pending === 0 && info.num_pending === 0);
  check("none is left", (await work.fetch(1, { timeout: "100ms" })).length === 0);
"#
        ),
    );
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

/// One user publishes to a stream. Another one consumes it natively.
const FOLLOWED: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 2, load: { groups: 1, once: true }, settle: "1s" };
export default async function work({ users: [ann, ben], channel, check, eventually }: Group) {
  const orders = channel("orders", { to: [ben!] });
  const nats = await ann!.nats();
  const js = nats.jetstream;
  await js.api("STREAM.CREATE.ORDERS", { name: "ORDERS", subjects: ["orders.>"], storage: "memory" });
  await js.api("CONSUMER.DURABLE.CREATE.ORDERS.work", {
    stream_name: "ORDERS", config: { durable_name: "work", ack_policy: "explicit" },
  });
  const his = await ben!.nats();
  const received = await his.jetstream.consumer("ORDERS", "work").subscribe({ batch: 7 });
  received.receives(orders, { at: "/text" });
  for (let n = 0; n < 500; n++) await js.publish("orders.new", { text: orders.stamp(ann!) }, { name: "order" });
  await eventually("all are acknowledged", "3s", async () => {
    const info = await js.api("CONSUMER.INFO.ORDERS.work");
    return info.num_ack_pending === 0 && info.num_pending === 0 && info.ack_floor.stream_seq === 500;
  });
  check("all are acknowledged", true);
}
"#;

#[test]
fn a_consumer_is_followed_and_acknowledged_natively() {
    let server = server();
    let lab = Lab::new().with("followed.ts", FOLLOWED);
    let level = lab.level("followed.ts", &server.url(), &[]);
    assert_eq!(lab.failures(), Vec::<Value>::new());
    assert_eq!(level["checks"]["passed"], 1, "{level:#}");
    assert_eq!(level["deliveries"]["delivered"], 500, "{level:#}");
    assert_eq!(level["deliveries"]["expected"], 500, "{level:#}");
}

#[test]
fn a_consumer_that_does_not_exist_is_refused_and_one_that_is_deleted_ends() {
    let lab = passes(
        &server(),
        4,
        &format!(
            "{STREAM}{}",
            r#"
  for (const none of [js.consumer("NONE", "none"), js.consumer("ORDERS", "none")]) {
    try {
      await none.subscribe();
    } catch (error) {
      check("denied", (error as Failure).kind === "denied" && (error as Failure).message.includes("not found"));
    }
  }
  let reason = "";
  const work = await js.consumer("ORDERS", "work").subscribe();
  work.on("close", (why) => { reason = why; });
  await js.api("CONSUMER.DELETE.ORDERS.work");
  await eventually("closed", "5s", () => reason !== "");
  check("the reason", reason.includes("Consumer Deleted") && !work.open && nats.open);
  try {
    await work.next();
  } catch (error) {
    check("the target is to blame", (error as Failure).side === "target");
  }
"#
        ),
    );
    assert_eq!(lab.failure("target", "denied", "nats")["count"], 1);
    let refused = lab.failure("target", "denied", "$JS.API.CONSUMER.INFO");
    assert_eq!(refused["count"], 2);
}
