//! Each call of a scenario, with its results.

use serde_json::Value;

use super::server::NatsServer;
use crate::harness::Lab;

/// Runs a scenario of one user once, and expects this number of passed checks and no failure.
#[track_caller]
pub(super) fn passes(server: &NatsServer, checks: u64, body: &str) -> Lab {
    let lab = Lab::once("", body);
    let level = lab.level("once.ts", &server.url(), &[]);
    let failures = lab.failures();
    assert_eq!(level["checks"]["failed"], 0, "{level:#} {failures:#?}");
    assert_eq!(level["checks"]["passed"], checks, "{level:#} {failures:#?}");
    assert_eq!(level["iterations"]["succeeded"], 1, "{failures:#?}");
    lab
}

#[track_caller]
fn passes_without_failures(checks: u64, body: &str) -> Lab {
    let lab = passes(&NatsServer::start("jetstream: enabled"), checks, body);
    assert_eq!(lab.failures(), Vec::<Value>::new());
    lab
}

#[test]
fn messages_have_subject_reply_headers_and_payload() {
    passes_without_failures(
        6,
        r#"
  const nats = await user.nats({ name: "mine" });
  check("the server", nats.server!.jetstream && nats.server!.maxPayload === 1048576 && nats.server!.version !== "");
  const all = await nats.subscribe("a.>");
  nats.publish("a.b", { x: 1 }, { reply: "back", headers: { One: "1", Many: ["2", "3"] } });
  nats.publish("a.b.c", new Uint8Array([0, 255, 13, 10]));
  nats.publish("a.empty");
  const json = await all.next();
  check("json", json.subject === "a.b" && json.reply === "back" && json.json.x === 1);
  check("headers", JSON.stringify(json.headers) === `{"One":"1","Many":["2","3"]}`);
  const bytes = await all.next();
  check("bytes", bytes.bytes.join() === "0,255,13,10" && bytes.reply === undefined);
  const empty = await all.next();
  check("empty", empty.text === "" && empty.bytes.length === 0);
  check("flush", (await nats.flush()) >= 0);
"#,
    );
}

#[test]
fn a_queue_group_shares_the_messages_and_a_limit_ends_a_subscription() {
    passes_without_failures(
        4,
        r#"
  const nats = await user.nats();
  let shared = 0, three = 0, reason = "";
  for (let member = 0; member < 4; member++) {
    (await nats.subscribe("jobs", { queue: "workers" })).on("message", () => { shared++; });
  }
  const limited = await nats.subscribe("jobs", { max: 3 });
  limited.on("message", () => { three++; });
  limited.on("close", (why) => { reason = why; });
  for (let job = 0; job < 20; job++) nats.publish("jobs", `job ${job}`);
  await eventually("all", "5s", () => shared === 20);
  await eventually("closed", "5s", () => reason !== "");
  check("each once", shared === 20);
  check("three", three === 3 && !limited.open);
  check("the reason", reason === "the subscription is over");
  const own = await user.nats({ echo: false });
  const deaf = await own.subscribe("echo");
  own.publish("echo", "x");
  await own.flush();
  nats.publish("echo", "y");
  check("no echo", (await deaf.next()).text === "y");
"#,
    );
}

#[test]
fn what_is_published_before_unsubscribing_arrives_and_nothing_later() {
    passes_without_failures(
        2,
        r#"
  const nats = await user.nats();
  const sub = await nats.subscribe("a");
  let count = 0;
  sub.on("message", () => { count++; });
  nats.publish("a", "1");
  await nats.flush();
  await eventually("it arrived", "5s", () => count === 1);
  await sub.unsubscribe();
  nats.publish("a", "2");
  await nats.flush();
  check("one", count === 1);
  try {
    await sub.next();
  } catch (error) {
    check("the script is to blame", (error as Failure).side === "script");
  }
"#,
    );
}

#[test]
fn a_request_is_a_round_trip_and_fails_at_once_if_nobody_listens() {
    let server = NatsServer::start("");
    let lab = passes(
        &server,
        4,
        r#"
  const nats = await user.nats(), other = await user.nats();
  const service = await other.subscribe("double");
  service.on("message", (message) => message.respond({ is: message.json.of * 2 }, { headers: { By: "me" } }));
  const replies = await Promise.all([1, 2, 3].map((of) => nats.request("double", { of }, { name: "doubling" })));
  check("each has its own reply", replies.map((reply) => reply.json.is).join() === "2,4,6");
  check("headers", replies[0]!.headers.By === "me");
  const before = Date.now();
  try {
    await nats.request("nobody", "x", { timeout: "5s" });
  } catch (error) {
    const { side, kind, message } = error as Failure;
    check("refused at once", `${side} ${kind}` === "target refused" && message.includes("no responders") && Date.now() - before < 3000);
  }
  await other.subscribe("silent");
  try {
    await nats.request("silent", "x", { timeout: "200ms" });
  } catch (error) {
    check("too late", (error as Failure).kind === "timed_out");
  }
"#,
    );
    let record = lab.record();
    let trips = &record["levels"][0]["measured"]["round_trips"];
    assert_eq!(trips["doubling"]["count"], 3, "{trips:#}");
    assert_eq!(lab.failure("target", "refused", "nobody")["count"], 1);
    assert_eq!(lab.failure("target", "timed_out", "silent")["count"], 1);
}

/// A reply after the time limit is counted, but a second reply to a request is no failure.
#[test]
fn a_late_reply_is_counted_and_a_second_reply_is_not() {
    let server = NatsServer::start("");
    let lab = passes(
        &server,
        2,
        r#"
  const nats = await user.nats(), other = await user.nats();
  const service = await other.subscribe("slow");
  service.on("message", async (message) => {
    await user.think("300ms");
    message.respond("late");
  });
  const twice = await other.subscribe("twice");
  twice.on("message", (message) => { message.respond("first"); message.respond("second"); });
  check("the first reply", (await nats.request("twice", "x")).text === "first");
  try {
    await nats.request("slow", "x", { timeout: "100ms" });
  } catch (error) {
    check("too late", (error as Failure).kind === "timed_out");
  }
  await user.think("500ms");
"#,
    );
    let late = lab.failure("target", "timed_out", "late reply of the NATS server");
    assert_eq!(late["count"], 1, "{late:#}");
    assert_eq!(lab.failures().len(), 2, "{:#?}", lab.failures());
}

#[test]
fn closing_sends_everything_and_ends_the_subscriptions() {
    let server = NatsServer::start("");
    passes(
        &server,
        3,
        r#"
  const nats = await user.nats();
  const sub = await nats.subscribe("other");
  let reasons = 0;
  sub.on("close", () => { reasons++; });
  nats.on("close", () => { reasons++; });
  for (let n = 0; n < 1000; n++) nats.publish("a", "x".repeat(1000));
  await nats.close();
  check("closed", !nats.open && !sub.open && nats.server === undefined);
  await eventually("both", "5s", () => reasons === 2);
  check("handlers", reasons === 2);
  try {
    nats.publish("a", "x");
  } catch (error) {
    check("the script is to blame", (error as Failure).side === "script");
  }
"#,
    );
    assert_eq!(server.count("in_msgs"), 1000);
    assert_eq!(server.count("in_bytes"), 1_000_000);
}

#[test]
fn mistakes_of_the_script_are_told_before_anything_is_sent() {
    let server = NatsServer::start("");
    for (call, words) in [
        (
            r#"await user.nats({ url: "http://127.0.0.1" })"#,
            "not the URL of a NATS server",
        ),
        (
            r#"await user.nats({ url: "nats://me:pw@127.0.0.1" })"#,
            "credentials",
        ),
        (r#"await user.nats({ nkey: "SU" })"#, "NATS seed"),
        (r#"await user.get("/x")"#, "user.nats"),
        (
            r#"(await user.nats()).publish("a b", "x")"#,
            "not a subject",
        ),
        (r#"(await user.nats()).publish("a.*", "x")"#, "wildcards"),
        (
            r#"await (await user.nats()).subscribe("a..b")"#,
            "not a subject",
        ),
        (
            r#"(await user.nats()).publish("a", "x".repeat(2000000))"#,
            "max_payload",
        ),
        (
            r#"(await user.nats()).publish("a", "x", { headers: { "a b": "c" } })"#,
            "header",
        ),
    ] {
        let lab = Lab::once("", &format!("  {call};"));
        let level = lab.level("once.ts", &server.url(), &[]);
        assert_eq!(level["iterations"]["failed"], 1, "{call}: {level:#}");
        let failures = lab.failures();
        let told = failures.iter().any(|failure| {
            failure["side"] == "script"
                && failure["first"]["detail"].as_str().unwrap().contains(words)
        });
        assert!(told, "{call}: {failures:#?}");
    }
    assert_eq!(server.count("in_msgs"), 0);
}

/// Two users who share a connection.
const SHARING: &str = r#"
import type { Failure, Group, Options } from "headcount";
export const options: Options = { group: 2, load: { groups: 1, once: true } };
export default async function share({ users: [ann, ben], check, eventually }: Group) {
  const hers = await ann!.nats({ connection: "shared" });
  const his = await ben!.nats({ connection: "shared" });
  const service = await his.subscribe("double");
  service.on("message", (message) => message.respond(String(Number(message.text) * 2)));
  const both = await Promise.all([hers.request("double", "1"), his.request("double", "2"), hers.flush(), his.flush()]);
  check("each has its own reply", both[0].text === "2" && both[1].text === "4");
  const last = await hers.subscribe("last");
  await his.close();
  await eventually("his subscription ended", "5s", () => !service.open);
  check("he has left", !his.open && hers.open && last.open);
  try {
    await hers.request("double", "3");
  } catch (error) {
    check("nobody listens", (error as Failure).kind === "refused");
  }
  hers.publish("last", "x");
  check("she goes on", (await last.next()).text === "x");
  const again = await ben!.nats({ connection: "shared" });
  check("he is back", (await again.flush()) >= 0);
}
"#;

#[test]
fn who_leaves_a_shared_connection_ends_only_their_part() {
    let server = NatsServer::start("");
    let lab = Lab::new().with("share.ts", SHARING);
    let level = lab.level("share.ts", &server.url(), &[]);
    assert_eq!(
        level["checks"]["passed"],
        5,
        "{level:#} {:#?}",
        lab.failures()
    );
    // The connection of the preflight check is the other one.
    assert_eq!(server.count("total_connections"), 2);
    assert_eq!(lab.failures().len(), 1, "{:#?}", lab.failures());
}
