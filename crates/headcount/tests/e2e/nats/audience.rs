//! Passive audiences that subscribe on a NATS server, on two workers. The server's own counts are the truth, and those of
//! a proxy that injects faults.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::proxy::{Faults, Proxy};
use super::server::NatsServer;
use crate::harness::{Lab, issue};

/// Two halls, each with one speaker and half of the listeners. The speakers are on different workers, and so are the
/// listeners of each hall. Every fifth text is published in the other hall as well, where nobody should get it.
const HALLS: &str = r#"
import { audience, type Group, type Options } from "headcount";
export const options: Options = { groups: 2, load: { users: 2, duration: "4s" }, settle: "3s", deadline: "2s" };
const halls = ["room.east", "room.west"].map((subject) => ({
  subject,
  listeners: audience(HALF, { name: "listeners", receives: { said: { at: "/text" } }, connect: CONNECT }),
}));
export default async function speak({ number, users: [speaker], channel }: Group) {
  const said = channel("said", { to: halls[number]!.listeners });
  const nats = await speaker!.nats();
  let left = 20;
  const ticker = speaker!.every("100ms", () => {
    const text = { text: said.stamp(speaker!) };
    nats.publish(halls[number]!.subject, text);
    if (left % 5 === 0 && STRAYS) nats.publish(halls[1 - number]!.subject, text);
    if (--left === 0) ticker.stop();
  }, { first: "200ms" });
  await speaker!.stay();
}
"#;

const SHARED: &str = "() => ({ nats: {}, subject })";
/// Number of texts of both speakers together.
const TEXTS: u64 = 40;

fn halls(listeners: u64, connect: &str, strays: bool) -> Lab {
    let text = HALLS
        .replace("HALF", &(listeners / 2).to_string())
        .replace("CONNECT", connect)
        .replace("STRAYS", &strays.to_string());
    Lab::new().with("halls.ts", &text)
}

/// Runs the halls on two workers. Returns the level's deliveries, and the level.
fn spoken(lab: &Lab, target: &str) -> (Value, Value) {
    let level = lab.level("halls.ts", target, &["--workers", "2"]);
    (level["deliveries"].clone(), level)
}

/// The sum of the failures under this name, and the sum of those of this kind.
fn failed(lab: &Lab, what: &str, kind: &str) -> (u64, u64) {
    let failures = lab.failures();
    let sum = |kind: Option<&str>| -> u64 {
        let fits =
            |one: &&Value| one["what"] == what && kind.is_none_or(|kind| one["kind"] == kind);
        let counts = failures.iter().filter(fits);
        counts.map(|one| one["count"].as_u64().unwrap()).sum()
    };
    (sum(None), sum(Some(kind)))
}

#[test]
fn all_messages_reach_a_thousand_subscriptions_on_two_connections() {
    let server = NatsServer::start("");
    let lab = halls(1000, SHARED, false);
    let (found, _) = spoken(&lab, &server.url());
    assert_eq!(found["expected"], 500 * TEXTS, "{found:#}");
    for nothing in ["lost", "duplicated", "reordered", "misdelivered"] {
        assert_eq!(found[nothing], 0, "{nothing}: {found:#}");
    }
    assert_eq!(server.count("out_msgs"), 500 * TEXTS);
    assert_eq!(lab.failures(), Vec::<Value>::new());
    // One per worker, one per speaker, and the check of the target before the run.
    assert_eq!(server.count("total_connections"), 5);
}

#[test]
fn each_fault_between_a_nats_server_and_its_subscriptions_is_counted() {
    let server = NatsServer::start("");
    let faults = Faults {
        drop: 97,
        duplicate: 89,
        swap: 83,
    };
    let proxy = Proxy::start(server.port(), faults);
    let lab = halls(1000, SHARED, false);
    let (found, _) = spoken(&lab, &proxy.url());
    let done = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let proxy = &proxy.done;
    assert_eq!(done(&proxy.messages), 500 * TEXTS);
    assert_eq!(found["expected"], 500 * TEXTS, "{found:#}");
    for (ours, theirs, least) in [
        ("lost", done(&proxy.dropped), 100),
        ("duplicated", done(&proxy.duplicated), 100),
        ("reordered", done(&proxy.reordered), 10),
        ("misdelivered", 0, 0),
    ] {
        assert_eq!(found[ours], theirs, "{ours}: {found:#} {proxy:?}");
        assert!(theirs >= least, "{proxy:?}");
    }
    let received = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap();
    assert_eq!(received, 500 * TEXTS - done(&proxy.dropped), "{found:#}");
}

#[test]
fn a_message_that_is_published_in_the_other_hall_is_misdelivered() {
    let server = NatsServer::start("");
    let lab = halls(100, SHARED, true);
    let (found, _) = spoken(&lab, &server.url());
    assert_eq!(found["expected"], 50 * TEXTS, "{found:#}");
    assert_eq!(found["misdelivered"], 50 * TEXTS / 5, "{found:#}");
    assert_eq!(server.count("out_msgs"), 50 * TEXTS * 6 / 5);
    assert_eq!(
        (&found["lost"], &found["duplicated"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn members_can_have_connections_of_their_own() {
    let server = NatsServer::start("");
    let lab = halls(
        100,
        "() => ({ nats: { connection: \"own\" }, subject })",
        false,
    );
    let (found, _) = spoken(&lab, &server.url());
    assert_eq!(
        (&found["expected"], &found["lost"]),
        (&json!(50 * TEXTS), &json!(0))
    );
    // Those of the speakers, and the check of the target before the run.
    assert_eq!(server.count("total_connections"), 100 + 3);
}

/// 80 of 100 members listen, and each of the others has failed in this way.
#[track_caller]
fn a_fifth_fails(lab: &Lab, target: &str, kind: &str) {
    let (found, level) = spoken(lab, target);
    assert_eq!(found["expected"], 40 * TEXTS, "{found:#}");
    assert_eq!(
        (&found["lost"], &found["duplicated"]),
        (&json!(0), &json!(0))
    );
    let incomplete = issue(&level, "audience_incomplete");
    assert_eq!(
        (&incomplete["members"], &incomplete["listening"]),
        (&json!(100), &json!(80)),
        "{incomplete:#}"
    );
    assert_eq!(
        failed(lab, "listeners", kind),
        (20, 20),
        "{:#?}",
        lab.failures()
    );
}

#[test]
fn each_refused_subscription_is_a_failure_and_the_others_on_its_connection_listen() {
    let server = NatsServer::start(
        "authorization { users: [ { user: a, password: b, permissions: { subscribe: \"room.>\" } } ] }",
    );
    let login = "{ user: \"a\", password: \"b\" }";
    let connect = format!(
        "(index) => ({{ nats: {login}, subject: index % 5 === 2 ? \"secret\" : subject }})"
    );
    let lab = Lab::new().with(
        "halls.ts",
        &HALLS
            .replace("HALF", "50")
            .replace("CONNECT", &connect)
            .replace("STRAYS", "false")
            .replace("speaker!.nats()", &format!("speaker!.nats({login})")),
    );
    a_fifth_fails(&lab, &server.url(), "denied");
}

/// Each worker has 50 members on one connection.
#[test]
fn subscriptions_beyond_the_limit_of_the_server_are_failures() {
    let server = NatsServer::start("max_subscriptions: 40");
    a_fifth_fails(&halls(100, SHARED, false), &server.url(), "denied");
}

#[test]
fn a_subject_that_is_none_fails_only_its_member() {
    let server = NatsServer::start("");
    let connect = "(index) => ({ nats: {}, subject: index % 5 === 2 ? \"a b\" : subject })";
    let lab = halls(100, connect, false);
    let (found, _) = spoken(&lab, &server.url());
    assert_eq!(found["expected"], 40 * TEXTS, "{found:#}");
    assert_eq!(
        failed(&lab, "listeners", "protocol").0,
        20,
        "{:#?}",
        lab.failures()
    );
}

#[test]
fn members_whose_login_is_denied_are_failures_each() {
    let server = NatsServer::start("authorization { token: s3cret }");
    let text = HALLS
        .replace("HALF", "50")
        .replace("CONNECT", "() => ({ nats: { token: \"x\" }, subject })")
        .replace("STRAYS", "false")
        .replace("speaker!.nats()", "speaker!.nats({ token: \"s3cret\" })");
    let lab = Lab::new().with("halls.ts", &text);
    let (found, level) = spoken(&lab, &server.url());
    assert!(found["expected"].as_u64().unwrap_or(0) == 0, "{found:#}");
    assert_eq!(issue(&level, "audience_incomplete")["listening"], 0);
    assert_eq!(
        failed(&lab, "listeners", "denied"),
        (100, 100),
        "{:#?}",
        lab.failures()
    );
}

#[test]
fn each_member_on_a_connection_that_breaks_is_a_failure() {
    let mut server = NatsServer::start("");
    let lab = halls(100, SHARED, false);
    let program = lab.start_run("halls.ts", &server.url(), &["--json", "--workers", "2"]);
    while server.count("in_msgs") < 10 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    server.kill();
    let summary = program.end().summary();
    let found = &summary["levels"][0]["deliveries"];
    assert_eq!(
        failed(&lab, "listeners", "closed"),
        (100, 100),
        "{:#?}",
        lab.failures()
    );
    assert!(found["delivered"].as_u64() >= Some(400), "{found:#}");
    let deliveries = &lab.record()["levels"][0]["measured"]["deliveries"]["said"];
    let lost = deliveries["lost"].as_object().unwrap();
    assert!(
        lost.keys().all(|reason| reason == "receiver_disconnected"),
        "{deliveries:#}"
    );
}
