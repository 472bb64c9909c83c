//! The example scenarios. The documentation quotes them, so they must compile and run.

use serde_json::Value;

use crate::harness::{
    Lab, Program, RedisServer, SOCKET_IO, Server, npx_tsc, room_servers, scenarios,
    socketio_server, speech_server, sse_room,
};
use crate::nats::server::NatsServer;

const SHORT: [&str; 6] = ["--duration", "1500ms", "--ramp", "0s", "--warmup", "0s"];

/// Runs an unmodified example. Asserts that nothing failed in any level.
fn run(name: &str, target: &str, more: &[&str]) -> Vec<Value> {
    let path = scenarios().join(name);
    let mut args = vec!["--json"];
    args.extend(more);
    let mut summary = Lab::new()
        .run(path.to_str().unwrap(), target, &args)
        .summary();
    let levels = std::mem::take(summary["levels"].as_array_mut().unwrap());
    for level in &levels {
        assert_eq!(level["iterations"]["failed"], 0, "{name}: {level:#}");
        assert_eq!(level["requests"]["failed"], 0, "{name}: {level:#}");
        assert_eq!(level["checks"]["failed"], 0, "{name}: {level:#}");
    }
    levels
}

#[test]
fn every_example_is_valid_typescript() {
    let ended = Program::start(npx_tsc(scenarios())).end();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}

#[test]
fn rooms_over_websocket() {
    for (name, server) in room_servers() {
        let levels = run(
            "room.ts",
            &server.url(),
            &[&SHORT[..], &["--users", "10,20"]].concat(),
        );
        assert_eq!(levels.len(), 2);
        for level in levels {
            let deliveries = &level["deliveries"];
            assert!(
                deliveries["expected"].as_u64() > Some(0), // the number depends on how busy the machine is
                "{name}: {level:#}"
            );
            assert_eq!(deliveries["delivered"], deliveries["expected"], "{name}");
        }
    }
}

#[test]
fn rooms_over_server_sent_events() {
    let room = sse_room(&[]);
    let levels = run("feed.ts", &room.url(), &SHORT);
    for level in levels {
        let deliveries = &level["deliveries"];
        assert!(deliveries["expected"].as_u64() > Some(0), "{level:#}");
        assert_eq!(deliveries["delivered"], deliveries["expected"], "{level:#}");
    }
}

#[test]
fn a_speaker_and_listeners_without_a_script() {
    let truth = Server::truth(&[]);
    for level in run("hall.ts", &truth.url(), &SHORT) {
        let deliveries = &level["deliveries"];
        assert!(deliveries["expected"].as_u64() >= Some(1000), "{level:#}");
        assert_eq!(deliveries["delivered"], deliveries["expected"], "{level:#}");
    }
}

#[test]
fn rooms_over_nats() {
    let server = NatsServer::start("");
    rooms_over_a_server("nats-room.ts", &server.url());
}

#[test]
fn rooms_over_redis() {
    let server = RedisServer::start(&[]);
    rooms_over_a_server("redis.ts", &server.url());
}

#[test]
fn voices_that_are_transcribed() {
    let server = speech_server();
    let more = [
        "--users",
        "5",
        "--duration",
        "5s",
        "--ramp",
        "0s",
        "--warmup",
        "0s",
    ];
    for level in run("voices.ts", &server.url(), &more) {
        let voice = &level["streams"]["voice"];
        assert!(voice["answered"].as_u64() >= Some(500), "{level:#}");
        assert_eq!(voice["unanswered"], 0, "{level:#}");
        assert_eq!(voice["surplus"], 0, "{level:#}");
    }
}

fn rooms_over_a_server(scenario: &str, url: &str) {
    for level in run(scenario, url, &SHORT) {
        let deliveries = &level["deliveries"];
        assert!(deliveries["expected"].as_u64() > Some(0), "{level:#}");
        assert_eq!(deliveries["delivered"], deliveries["expected"], "{level:#}");
        assert_eq!(level["round_trips"]["failed"], 0, "{level:#}");
    }
}

#[test]
fn rooms_over_socket_io() {
    for package in SOCKET_IO {
        let relay = socketio_server("socketio-relay", package);
        let levels = run(
            "editor-room.ts",
            &relay.url(),
            &[&SHORT[..], &["--users", "20"]].concat(),
        );
        assert_eq!(levels.len(), 1);
        for level in levels {
            let deliveries = &level["deliveries"];
            assert!(
                deliveries["expected"].as_u64() > Some(0), // the number depends on how busy the machine is
                "{package}: {level:#}"
            );
            assert_eq!(deliveries["delivered"], deliveries["expected"], "{package}");
            for nothing in ["late", "lost", "duplicated", "reordered", "misdelivered"] {
                assert_eq!(deliveries[nothing], 0, "{package}: {nothing}");
            }
        }
    }
}

#[test]
fn exchanges_matched_by_id() {
    for (name, server) in room_servers() {
        let levels = run(
            "exchange.ts",
            &server.url(),
            &[&SHORT[..], &["--users", "10"]].concat(),
        );
        assert!(
            levels[0]["round_trips"]["by_name"]["ask"]["count"].as_u64() >= Some(50),
            "{name}"
        );
        assert_eq!(levels[0]["round_trips"]["failed"], 0, "{name}");
        assert!(levels[0]["checks"]["passed"].as_u64() >= Some(50), "{name}");
    }
}

#[test]
fn a_closed_loop_over_http() {
    let bridge = Server::bridge(&[]);
    let levels = run("http.ts", &bridge.url(), &SHORT);
    assert_eq!(levels.len(), 2);
    let by_name = &levels[1]["requests"]["by_name"];
    assert!(by_name["POST /bridge/chat"]["count"].as_u64() >= Some(20));
    assert!(by_name["GET /bridge/rooms"]["count"].as_u64() >= Some(20));
    assert!(levels[1]["checks"]["by_name"]["has a reply"]["passed"].as_u64() >= Some(20));
}

#[test]
fn signed_requests_with_a_secret_of_the_environment() {
    let truth = Server::truth(&[]);
    let base = format!("BASE={}", truth.url());
    let more = ["--env", "WEBHOOK_SECRET=for the test", "--env", &base];
    let levels = run("signed.ts", &truth.url(), &[&SHORT[..], &more].concat());
    assert!(levels[0]["checks"]["by_name"]["accepted"]["passed"].as_u64() >= Some(20));
}

#[test]
fn roles_that_do_it_once() {
    let bridge = Server::bridge(&[]);
    let levels = run("roles.ts", &bridge.url(), &[]);
    for (level, groups) in levels.iter().zip([1, 5]) {
        let iterations = &level["iterations"];
        assert_eq!(
            [&iterations["started"], &iterations["succeeded"]],
            [groups, groups]
        );
        assert_eq!(level["deliveries"]["expected"], groups * 3 * 3);
        assert_eq!(level["deliveries"]["delivered"], groups * 3 * 3);
        assert_eq!(level["steps"]["by_name"]["announce"]["count"], groups);
    }
}

#[test]
fn people_from_a_file_with_accounts_made_before() {
    let bridge = Server::bridge(&[]);
    let levels = run("people.ts", &bridge.url(), &SHORT);
    assert!(levels[0]["checks"]["by_name"]["still my session"]["passed"].as_u64() >= Some(20));
}

/// In the order in which a newcomer may try them, each twice on one server.
#[test]
fn examples_can_be_repeated_on_one_server() {
    let bridge = Server::bridge(&[]);
    let short = [&SHORT[..], &["--users", "10"]].concat();
    for name in [
        "http.ts",
        "starter.ts",
        "people.ts",
        "roles.ts",
        "people.ts",
        "starter.ts",
        "http.ts",
    ] {
        let more: &[&str] = if name == "roles.ts" { &[] } else { &short };
        run(name, &bridge.url(), more);
    }
    let editor = Server::editor(&[]);
    for _ in 0..2 {
        let levels = run("editor-room.ts", &editor.url(), &short);
        assert_eq!(levels[0]["deliveries"]["misdelivered"], 0, "{levels:#?}");
    }
}

#[test]
fn the_starter() {
    let bridge = Server::bridge(&[]);
    let levels = run(
        "starter.ts",
        &bridge.url(),
        &[&SHORT[..], &["--users", "10"]].concat(),
    );
    assert_eq!(
        levels[0]["deliveries"]["delivered"],
        levels[0]["deliveries"]["expected"]
    );
}
