//! Redis: the distribution's `redis-server`, whose own counts headcount's figures must equal, a proxy with known faults, and
//! raw servers.

mod audience;
mod cluster;
mod proxy;
mod raw;

use serde_json::{Value, json};

use crate::harness::{Lab, RedisServer};
use proxy::{Log, Proxy};

/// Four rooms of five. Each user publishes 60 texts, which every member receives. All listen before the first text, and the
/// last one is sent long before the end.
const ROOMS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, duration: "4s" }, settle: "1s" };
export default async function talk({ number, everyone, channel, check }: Group) {
  const texts = channel("texts", { to: "everyone" });
  const room = `room:${number}`;
  await everyone(async (user, here) => {
    const redis = await user.redis();
    const subscription = await redis.subscribe(room);
    subscription.receives(texts, { at: "/text" });
    await here("listening");
    const [name, subscribers] = await redis.call("PUBSUB", "NUMSUB", room);
    check("subscribers", name === room && subscribers === 5);
    let n = 0;
    const ticker = user.every("25ms", async () => {
      if (++n === 60) ticker.stop();
      const text = JSON.stringify({ from: user.name, n, text: texts.stamp(user) });
      check("receivers", (await redis.call("PUBLISH", room, text)) === 5);
    }, { first: "500ms" });
    await user.stay();
    check("it is open", redis.open && subscription.open);
  });
}
"#;

const USERS: u64 = 20;
const PUBLISHED: u64 = USERS * 60;
const EXPECTED: u64 = PUBLISHED * 5;

/// The counts of a round trip in the record.
fn round_trip(lab: &Lab, name: &str, of: &str) -> Value {
    lab.record()["levels"][0]["measured"]["round_trips"][name][of].clone()
}

#[track_caller]
fn talks(target: &str) -> (Lab, Value) {
    let lab = Lab::new().with("rooms.ts", ROOMS);
    let level = lab.level("rooms.ts", target, &[]);
    assert_eq!(level["deliveries"]["expected"], EXPECTED, "{level:#}");
    assert_eq!(level["deliveries"]["misdelivered"], 0, "{level:#}");
    assert_eq!(level["checks"]["failed"], 0, "{level:#}");
    assert_eq!(lab.failures(), Vec::<Value>::new());
    (lab, level)
}

#[test]
fn counts_of_rooms_equal_those_of_the_server() {
    let server = RedisServer::start(&[]);
    let (lab, level) = talks(&server.url());
    assert_eq!(server.calls("publish"), PUBLISHED);
    assert_eq!(server.calls("subscribe"), USERS);
    assert_eq!(round_trip(&lab, "PUBLISH", "count"), PUBLISHED);
    assert_eq!(round_trip(&lab, "SUBSCRIBE", "count"), USERS);
    let pubsub = server.calls("pubsub|numsub");
    assert_eq!(round_trip(&lab, "PUBSUB NUMSUB", "count"), pubsub);
    let connections = &lab.record()["levels"][0]["measured"]["connections"];
    assert_eq!(connections[&server.url()]["count"], USERS);
    for nothing in ["lost", "duplicated", "reordered"] {
        assert_eq!(level["deliveries"][nothing], 0, "{nothing}: {level:#}");
    }
}

#[test]
fn deliveries_behind_a_faulty_proxy_equal_its_log() {
    let server = RedisServer::start(&[]);
    let proxy = Proxy::start(server.port());
    let (_, level) = talks(&proxy.url());
    let log = proxy.log();
    let tenth = EXPECTED / 10;
    let expected = Log {
        messages: EXPECTED,
        dropped: tenth,
        duplicated: tenth,
        swapped: tenth,
    };
    assert_eq!(log, expected);
    let found = &level["deliveries"];
    assert_eq!(found["lost"], log.dropped, "{found:#}");
    assert_eq!(found["duplicated"], log.duplicated, "{found:#}");
    assert_eq!(found["reordered"], log.swapped, "{found:#}");
    let delivered = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap_or(0);
    assert_eq!(delivered, EXPECTED - log.dropped, "{found:#}");
}

/// A scenario of one user that runs once.
fn once(body: &str) -> Lab {
    let text = format!(
        r#"import type {{ Failure, Group, Options, RedisError }} from "headcount";
export const options: Options = {{ load: {{ users: 1, once: true }} }};
export default async function once({{ users, check, eventually, channel }}: Group) {{
  const user = users[0]!;
{body}
}}
"#
    );
    Lab::new().with("once.ts", &text)
}

#[track_caller]
fn passes(lab: &Lab, target: &str, checks: u64) {
    let level = lab.level("once.ts", target, &[]);
    let failures = lab.failures();
    assert_eq!(level["checks"]["failed"], 0, "{level:#} {failures:#?}");
    assert_eq!(level["checks"]["passed"], checks, "{level:#} {failures:#?}");
    assert_eq!(level["iterations"]["succeeded"], 1, "{failures:#?}");
}

#[test]
fn values_of_all_types_arrive_as_they_are() {
    let server = RedisServer::start(&["--enable-debug-command", "yes"]);
    let lab = once(
        r#"
  const redis = await user.redis({ database: 3 });
  check("server", /^[67]\./.test(redis.server!.version) && redis.server!.role === "master");
  check("text", await redis.call("SET", "a", "käse") === "OK" && await redis.call("GET", "a") === "käse");
  check("null", await redis.call("GET", "nothing") === null);
  check("number", await redis.call("INCRBY", "n", 41) === 41 && await redis.call("INCR", "n") === 42);
  const big = 2n ** 60n + 1n;
  await redis.call("SET", "big", big);
  check("bigint", await redis.call("INCR", "big") === big + 1n);
  check("double", await redis.call("ZADD", "z", 1.5, "m") === 1 && await redis.call("ZSCORE", "z", "m") === 1.5);
  const bytes = new Uint8Array([0, 255, 13, 10, 128]);
  await redis.call("SET", "bytes", bytes);
  check("bytes", new Uint8Array(await redis.call("GET", "bytes")).join() === bytes.join());
  const asked = await redis.call({ command: "GET", binary: true, name: "binary" }, "a");
  check("binary", asked instanceof ArrayBuffer && new TextDecoder().decode(asked) === "käse");
  await redis.call("HSET", "h", "x", 1, "y", 2);
  const map = await redis.call("HGETALL", "h");
  check("map", map instanceof Map && map.get("y") === "2" && map.size === 2);
  await redis.call("SADD", "s", "one", "two");
  const set = await redis.call("SMEMBERS", "s");
  check("set", set instanceof Set && set.has("one") && set.size === 2);
  const list = await redis.call("LRANGE", "none", 0, -1);
  check("list", Array.isArray(list) && list.length === 0);
  check("boolean", await redis.call("DEBUG", "PROTOCOL", "true") === true);
  check("large", typeof await redis.call("DEBUG", "PROTOCOL", "bignum") === "bigint");
  check("names", (await redis.call("client", "getname")) === "headcount");
  await redis.close();
  check("closed", !redis.open && redis.server === undefined);
"#,
    );
    passes(&lab, &server.url(), 15);
    assert_eq!(lab.failures(), Vec::<Value>::new());
    assert_eq!(round_trip(&lab, "binary", "count"), 1);
    assert_eq!(round_trip(&lab, "GET", "count"), server.calls("get") - 1);
    assert_eq!(round_trip(&lab, "CLIENT GETNAME", "count"), 1);
    assert_eq!(server.cli(&["-n", "3", "EXISTS", "a"]), "1");
}

#[test]
fn error_replies_reject_with_their_code_and_count_as_failures() {
    let server = RedisServer::start(&[]);
    let lab = once(
        r#"
  const redis = await user.redis();
  await redis.call("SET", "a", "x");
  try {
    await redis.call("LPUSH", "a", 1);
  } catch (error) {
    const { code, kind, side, message, name } = error as RedisError;
    check("the error", code === "WRONGTYPE" && kind === "content" && side === "target" && name === "RedisError");
    check("its text", message.startsWith("Redis error: WRONGTYPE Operation"));
  }
  await redis.call("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM");
  const again = await redis.call({ command: "XGROUP", expect: ["BUSYGROUP"] }, "CREATE", "s", "g", "$");
  check("expected", again instanceof Error && again.code === "BUSYGROUP");
  const all = await redis.pipeline([["SET", "b", 1], ["INCR", "a"], ["GET", "b"]]);
  check("a pipeline", all.length === 3 && all[0] === "OK" && all[1].code === "ERR" && all[2] === "1");
  await redis.call("MULTI");
  await redis.call("INCR", "b");
  const done = await redis.call("EXEC");
  check("a transaction", done.length === 1 && done[0] === 2);
  try { await redis.call("MONITOR"); } catch (error) { check("refused", (error as Failure).side === "script"); }
  try { redis.call("SUBSCRIBE", "c"); } catch (error) { check("advice", String(error).includes("redis.subscribe")); }
  try { await user.redis({ user: "nobody", password: "wrong" }); } catch (error) { check("denied", (error as Failure).kind === "denied"); }
"#,
    );
    passes(&lab, &server.url(), 8);
    let count = |name| lab.failure("target", "content", name)["count"].clone();
    assert_eq!(count("LPUSH"), 1);
    assert_eq!(count("INCR"), 1);
    assert_eq!(round_trip(&lab, "LPUSH", "failed"), 1);
    assert_eq!(round_trip(&lab, "XGROUP CREATE", "failed"), 0);
    let denied = format!("connection {}", server.url());
    assert_eq!(lab.failure("target", "denied", &denied)["count"], 1);
    assert_eq!(lab.failures().len(), 3, "{:#?}", lab.failures());
}

#[test]
fn subscriptions_share_a_connection_and_end_one_by_one() {
    let server = RedisServer::start(&[]);
    let lab = once(
        r#"
  const redis = await user.redis();
  const one = await redis.subscribe(["a", "b"]);
  const two = await redis.subscribe("b");
  const like = await redis.subscribe("a*", { pattern: true });
  const shard = await redis.subscribe("s", { shard: true });
  check("to a", await redis.call("PUBLISH", "a", '{"x":1}') === 2);
  const first = await one.next({ only: { "/x": 1 } });
  check("on a", first.channel === "a" && first.json.x === 1 && first.pattern === undefined);
  const second = await like.next();
  check("by pattern", second.pattern === "a*" && second.channel === "a" && second.bytes.byteLength === 7);
  const heard: string[] = [];
  two.on("message", (message) => { heard.push(message.text); });
  check("to b", await redis.call("PUBLISH", "b", "both") === 1);
  check("one of both", (await one.next()).text === "both");
  await eventually("heard", "5s", () => heard.join() === "both");
  await redis.call("SPUBLISH", "s", "shard");
  check("on a shard", (await shard.next()).text === "shard");
  await two.unsubscribe();
  check("ended", !two.open && one.open);
  check("still subscribed", await redis.call("PUBLISH", "b", "still") === 1);
  check("still heard", (await one.next()).text === "still");
  await one.unsubscribe();
  await one.unsubscribe();
  check("not subscribed", await redis.call("PUBLISH", "b", "nobody") === 0);
  let reason = "";
  like.on("close", (why) => { reason = why; });
  await redis.close();
  check("closed with the connection", !like.open && !shard.open && reason !== "");
"#,
    );
    passes(&lab, &server.url(), 11);
    assert_eq!(lab.failures(), Vec::<Value>::new());
    assert_eq!(server.calls("unsubscribe"), 1);
}

/// Five users write 40 entries each to a stream. Two consumers read them, and acknowledge all but every fourth.
const STREAM: &str = r#"
import type { Options, Roles } from "headcount";
export const options: Options = { group: { writers: 5, readers: 2 }, load: { groups: 1, once: true } };
export default async function pass({ writers, readers, check }: Roles<{ writers: 5; readers: 2 }>) {
  const [admin] = writers;
  const redis = await admin!.redis();
  await redis.call("XGROUP", "CREATE", "orders", "workers", "$", "MKSTREAM");
  let acknowledged = 0, read = 0;
  const writing = writers.map(async (user) => {
    const redis = await user.redis();
    for (let n = 0; n < 40; n++) await redis.call("XADD", "orders", "*", "n", n, "from", user.name);
  });
  const reading = readers.map(async (user) => {
    const redis = await user.redis();
    while (read < 200) {
      const found = await redis.call("XREADGROUP", "GROUP", "workers", user.name, "COUNT", 10, "BLOCK", 200, "STREAMS", "orders", ">");
      for (const [id] of found?.get("orders") ?? []) {
        if (++read % 4 !== 0) {
          const done = await redis.call("XACK", "orders", "workers", id);
          acknowledged += done;
        }
      }
    }
  });
  await Promise.all([...writing, ...reading]);
  check("all were read", read === 200);
  check("three of four were acknowledged", acknowledged === 150);
}
"#;

#[test]
fn counts_of_a_stream_equal_those_of_the_server() {
    let server = RedisServer::start(&[]);
    let lab = Lab::new().with("stream.ts", STREAM);
    let level = lab.level("stream.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["failed"], 0, "{level:#}");
    assert_eq!(level["checks"]["passed"], 2, "{:#?}", lab.failures());
    assert_eq!(server.cli(&["XLEN", "orders"]), "200");
    let pending = server.cli(&["XPENDING", "orders", "workers"]);
    assert_eq!(pending.lines().next(), Some("50"), "{pending}");
    for (name, command, count) in [
        ("XADD", "xadd", Some(200)),
        ("XACK", "xack", Some(150)),
        ("XREADGROUP", "xreadgroup", None),
    ] {
        let calls = server.calls(command);
        assert_eq!(round_trip(&lab, name, "count"), calls, "{name}");
        assert!(count.is_none_or(|count| count == calls), "{name}: {calls}");
    }
    assert_eq!(json!(lab.failures()), json!([]));
}
