//! Passive audiences that subscribe on a Redis server, on two workers. The server's own counts are the truth, and those
//! of a proxy with known faults.

use serde_json::{Value, json};

use super::proxy::{Log, Proxy};
use crate::harness::{Lab, RedisServer, issue};

/// Two halls, each with one speaker and half of the 100 listeners. The speakers are on different workers, and so are the
/// listeners of each hall.
const HALLS: &str = r#"
import { audience, type Group, type Options } from "headcount";
export const options: Options = { groups: 2, load: { users: 2, duration: "4s" }, settle: "2s", deadline: "2s" };
const halls = ["room.east", "room.west"].map((name) => ({
  name,
  listeners: audience(50, { name: "listeners", receives: { said: { at: "/text" } }, connect: CONNECT }),
}));
export default async function speak({ number, users: [speaker], channel, check }: Group) {
  const { name, listeners } = halls[number]!;
  const said = channel("said", { to: listeners });
  const redis = await speaker!.redis();
  let n = 0;
  const ticker = speaker!.every("100ms", async () => {
    if (++n === 20) ticker.stop();
    const text = JSON.stringify({ from: speaker!.name, n, text: said.stamp(speaker!) });
    check("receivers", (await redis.call("PUBLISH", name, text)) > 0);
  }, { first: "200ms" });
  await speaker!.stay();
}
"#;

const OWN: &str = "() => ({ redis: {}, channels: name })";
/// Number of texts of both speakers together.
const TEXTS: u64 = 40;
const EXPECTED: u64 = 50 * TEXTS;

fn halls(connect: &str) -> Lab {
    Lab::new().with("halls.ts", &HALLS.replace("CONNECT", connect))
}

fn spoken(lab: &Lab, target: &str) -> (Value, Value) {
    let level = lab.level("halls.ts", target, &["--workers", "2"]);
    assert_eq!(level["checks"]["failed"], 0, "{level:#}");
    (level["deliveries"].clone(), level)
}

#[test]
fn all_published_messages_reach_the_members_of_an_audience() {
    let server = RedisServer::start(&[]);
    let lab = halls(OWN);
    let (found, _) = spoken(&lab, &server.url());
    assert_eq!(found["expected"], EXPECTED, "{found:#}");
    for nothing in ["lost", "duplicated", "reordered", "misdelivered"] {
        assert_eq!(found[nothing], 0, "{nothing}: {found:#}");
    }
    assert_eq!(server.calls("publish"), TEXTS);
    assert_eq!(server.calls("subscribe"), 100);
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

#[test]
fn each_fault_between_a_redis_server_and_an_audience_is_counted() {
    let server = RedisServer::start(&[]);
    let proxy = Proxy::start(server.port());
    let (found, _) = spoken(&halls(OWN), &proxy.url());
    let tenth = EXPECTED / 10;
    let log = proxy.log();
    let expected = Log {
        messages: EXPECTED,
        dropped: tenth,
        duplicated: tenth,
        swapped: tenth,
    };
    assert_eq!(log, expected);
    assert_eq!(found["expected"], EXPECTED, "{found:#}");
    for (ours, theirs) in [
        ("lost", tenth),
        ("duplicated", tenth),
        ("reordered", tenth),
        ("misdelivered", 0),
    ] {
        assert_eq!(found[ours], theirs, "{ours}: {found:#}");
    }
    let received = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap();
    assert_eq!(received, EXPECTED - tenth, "{found:#}");
}

/// The members of both halls follow a pattern, so each gets the messages of the other hall as well.
#[test]
fn messages_of_the_other_hall_are_misdelivered() {
    let server = RedisServer::start(&[]);
    let lab = halls("() => ({ redis: {}, channels: [\"room.*\", \"none.*\"], pattern: true })");
    let (found, _) = spoken(&lab, &server.url());
    assert_eq!(found["expected"], EXPECTED, "{found:#}");
    assert_eq!(
        (&found["lost"], &found["duplicated"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(found["misdelivered"], EXPECTED, "{found:#}");
    assert_eq!(server.calls("psubscribe"), 100);
}

#[test]
fn members_whose_subscription_redis_refuses_are_failures() {
    let server = RedisServer::start(&[]);
    let rule = ["on", ">b", "+@all", "allkeys", "resetchannels", "&room.*"];
    server.cli(&[&["ACL", "SETUSER", "a"], &rule[..]].concat());
    let lab = halls(
        "(index) => ({ redis: { user: \"a\", password: \"b\" }, channels: index % 5 === 2 ? \"secret\" : name })",
    );
    let (found, level) = spoken(&lab, &server.url());
    assert_eq!(found["expected"], 40 * TEXTS, "{found:#}");
    assert_eq!(found["lost"], 0, "{found:#}");
    let incomplete = issue(&level, "audience_incomplete");
    assert_eq!(
        (&incomplete["members"], &incomplete["listening"]),
        (&json!(100), &json!(80)),
        "{incomplete:#}"
    );
    let denied = lab.failure("target", "denied", "listeners");
    assert_eq!(denied["count"], 20, "{denied:#}");
}

#[test]
fn each_member_whose_redis_connection_is_killed_is_a_failure() {
    let server = RedisServer::start(&[]);
    let lab = halls(OWN);
    let program = lab.start_run("halls.ts", &server.url(), &["--json", "--workers", "2"]);
    while server.calls("publish") < 10 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(server.cli(&["CLIENT", "KILL", "TYPE", "pubsub"]), "100");
    let summary = program.end().summary();
    let failures = lab.failures();
    let of_members = failures.iter().filter(|one| one["what"] == "listeners");
    let counts = of_members.map(|one| one["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 100, "{failures:#?}");
    let found = &summary["levels"][0]["deliveries"];
    assert!(found["delivered"].as_u64() >= Some(400), "{found:#}");
}
