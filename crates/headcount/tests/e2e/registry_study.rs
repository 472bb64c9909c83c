//! The scenarios of the registry study at a small scale, on the built-in registry, with its own counts as the truth.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ::harness::RedisAndNats;
use serde_json::{Value, json};

use crate::harness::{Lab, RedisServer, Server, ask};
use crate::hurry::Hurried;
use crate::interrupt::until;
use crate::leftovers::has_ended;
use crate::nats::server::NatsServer;

/// A registry with its own database file.
fn registry(lab: &Lab, more: &[&str]) -> Server {
    let store = format!("sqlite:{}", lab.path("registry.db").display());
    Server::registry(&[&["--store", &store], more].concat())
}

fn scenario(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../study/scenarios");
    folder.join(name).display().to_string()
}

/// Runs a scenario for `duration`, without warm-up, so that all of its operations are measured. Returns the only level
/// of its record.
fn level(lab: &Lab, registry: &Server, name: &str, duration: &str, env: &[&str]) -> Value {
    let mut args = vec!["--duration", duration, "--warmup", "0s"];
    args.extend(env.iter().flat_map(|variable| ["--env", variable]));
    lab.run(&scenario(name), &registry.url(), &args);
    lab.record()["levels"][0].clone()
}

/// Every check and operation of the level succeeded.
fn all_went_well(level: &Value) {
    let measured = &level["measured"];
    let iterations = &measured["iterations"];
    assert!(iterations["started"].as_u64() > Some(0), "{iterations:#}");
    assert_eq!(iterations["failed"], 0, "{:#}", measured["failures"]);
    for (name, check) in measured["checks"].as_object().unwrap() {
        assert!(check["passed"].as_u64() > Some(0), "{name}: {check:#}");
        assert_eq!(check["failed"], 0, "{name}: {check:#}");
    }
}

/// The sum of the metric's values, all of which are counts.
fn sum(metric: &Value) -> u64 {
    let text = metric["sum"].as_f64().map(|sum| format!("{sum:.0}"));
    text.map_or(0, |text| text.parse().unwrap())
}

#[test]
fn the_embedded_backend_beside_urls_is_a_contradiction() {
    let urls = [
        "--redis",
        "redis://127.0.0.1:1",
        "--nats",
        "nats://127.0.0.1:1",
    ];
    let args = ["study", "registry", "--backend", "embedded"];
    let ended = Lab::new().headcount(&[&args[..], &urls].concat());
    ended.refused(
        2,
        &["--backend embedded uses no servers, but --redis and --nats"],
    );
}

#[test]
fn the_mix_follows_every_multicast_to_every_registered_identity() {
    let lab = Lab::new();
    let registry = registry(&lab, &["--faults", "drop=50"]);
    let level = level(&lab, &registry, "registry-mix.ts", "2s", &["RECEIVERS=20"]);
    all_went_well(&level);
    let measured = &level["measured"];
    // 100 operations/s for 2 s, a fifth of them multicasts.
    let count = |name: &str| measured["requests"][name]["count"].clone();
    let mix = ["register", "enumerate", "multicast"].map(count);
    assert_eq!(mix, [100, 60, 40].map(Value::from));
    let found = &measured["deliveries"]["multicast"];
    assert_eq!(
        (&found["messages"], &found["expected"]),
        (&json!(40), &json!(800))
    );
    assert_eq!(found["lost"], json!({ "never_seen": 16 }));
    let counts = &ask(&format!("{}/faults", registry.url()))["counts"];
    assert_eq!(
        (&counts["deliveries"], &counts["dropped"]),
        (&json!(800), &json!(16))
    );
    let targets = &measured["metrics"]["targets of a multicast"];
    assert_eq!(
        (&targets["min"], &targets["max"]),
        (&json!(20.0), &json!(20.0))
    );
}

#[test]
fn the_mix_reaches_everyone_over_redis_and_nats_and_both_servers_end_with_their_owner() {
    let exe = Path::new(env!("CARGO_BIN_EXE_headcount"));
    let servers = RedisAndNats::start(exe, &[]).unwrap();
    let pids = servers.pids().map(|pid| pid.to_string());
    assert!(!pids.iter().any(|pid| has_ended(pid)));
    let lab = Lab::new();
    let (redis, nats) = (servers.redis_url(), servers.nats_url());
    let registry = Server::registry(&["--redis", &redis, "--nats", &nats]);
    let level = level(&lab, &registry, "registry-mix.ts", "2s", &["RECEIVERS=20"]);
    all_went_well(&level);
    let found = &level["measured"]["deliveries"]["multicast"];
    assert_eq!(
        (&found["messages"], &found["expected"], &found["delivered"]),
        (&json!(40), &json!(800), &json!(800))
    );
    drop((registry, servers));
    assert!(pids.iter().all(|pid| has_ended(pid)), "{pids:?}");
}

/// The prefixes of the keys that a study leaves on a running Redis, which it ends in its first part.
fn prefixes_of_a_study(redis: &RedisServer, nats: &NatsServer) -> BTreeSet<String> {
    let lab = Lab::new();
    let (redis_url, nats_url) = (redis.url(), nats.url());
    let servers = ["--redis", &redis_url, "--nats", &nats_url];
    let args = [
        &["study", "registry", "--seed", "7", "--out", "study"][..],
        &servers[..],
    ]
    .concat();
    redis.cli(&["FLUSHALL"]);
    let run = Hurried::start(&lab, &args);
    let keys = || redis.cli(&["--scan", "--pattern", "study*-*:*"]);
    until("registrations", || !keys().is_empty());
    run.interrupt();
    assert_eq!(run.end(), Some(130));
    assert_eq!(
        keys().lines().count(),
        redis.cli(&["--scan"]).lines().count()
    );
    let prefix = |key: &str| key.split(':').next().unwrap().to_owned();
    keys().lines().map(prefix).collect()
}

#[test]
fn each_study_has_keys_of_its_own_on_a_running_redis() {
    let (redis, nats) = (RedisServer::start(&[]), NatsServer::start(""));
    let [first, second] = [(); 2].map(|()| prefixes_of_a_study(&redis, &nats));
    assert!(
        first.iter().all(|prefix| prefix.ends_with("-report")),
        "{first:?}"
    );
    assert!(first.is_disjoint(&second), "{first:?} {second:?}");
}

#[test]
fn the_reports_own_test_reaches_nobody() {
    let lab = Lab::new();
    let registry = registry(&lab, &[]);
    let level = level(&lab, &registry, "registry-report.ts", "2s", &[]);
    assert_eq!(level["measured"]["iterations"]["failed"], 0);
    let metrics = &level["measured"]["metrics"];
    let targets = sum(&metrics["targets of a multicast"]);
    assert!(targets > 500, "{metrics:#}");
    assert_eq!(sum(&metrics["without a receiver"]), targets, "{metrics:#}");
    assert_eq!(sum(&metrics["handed over to a receiver"]), 0);
}

#[test]
fn ten_tenants_with_the_same_names_receive_only_their_own_messages() {
    let tenant = |n| {
        (
            format!("tenant-{n}"),
            json!({ "token": format!("token-{n}") }),
        )
    };
    let namespaces: serde_json::Map<String, Value> = (0..10).map(tenant).collect();
    let lab = Lab::new().with("namespaces.json", &Value::Object(namespaces).to_string());
    let file = lab.path("namespaces.json").display().to_string();
    let registry = registry(&lab, &["--namespaces", &file]);
    let level = level(
        &lab,
        &registry,
        "registry-tenants.ts",
        "2s",
        &["RECEIVERS=5"],
    );
    all_went_well(&level);
    let measured = &level["measured"];
    let found = &measured["deliveries"]["multicast"];
    assert!(found["messages"].as_u64() >= Some(30), "{found:#}");
    assert_eq!(found["delivered"], found["expected"], "{found:#}");
    assert_eq!(found["misdelivered"], json!({}), "{found:#}");
    let foreign = &measured["requests"]["multicast to another tenant"];
    assert!(foreign["count"].as_u64() >= Some(10), "{foreign:#}");
}

#[test]
fn registrations_of_the_long_part_expire_in_time() {
    let lab = Lab::new();
    let registry = registry(&lab, &[]);
    let env = ["RECEIVERS=5", "TTL_SECONDS=2", "DURATION=8s"];
    let level = level(&lab, &registry, "registry-sustained.ts", "8s", &env);
    all_went_well(&level);
    let measured = &level["measured"];
    let alive = &measured["metrics"]["registrations that have not expired"];
    let most = alive["max"].as_f64().unwrap();
    let registered = measured["requests"]["register"]["count"].as_f64().unwrap();
    // 50 registrations/s, each for two seconds: a quarter of all at a time, and up to a second more.
    assert!(registered >= 390.0 && most >= 90.0, "{registered} {most}");
    assert!(most <= 200.0, "{registered} {most}");
}
