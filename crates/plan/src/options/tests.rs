mod open;
mod refused;

use model::Nanos;
use serde_json::{Value, json};

use super::*;

fn read(value: &Value) -> Options {
    Options::from_json(value).unwrap_or_else(|problems| panic!("{value}: {problems}"))
}

/// Returns each problem as text.
fn problems(value: &Value) -> Vec<String> {
    let problems = Options::from_json(value).expect_err("should be refused");
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn defaults_are_those_of_the_types() {
    let options = read(&json!({ "load": { "users": 1 } }));
    let (five, thirty) = (Nanos::from_secs(5), Nanos::from_secs(30));
    assert_eq!(
        options,
        Options {
            target: None,
            grouping: Grouping::Size(1),
            load: Load {
                levels: vec![LevelLoad {
                    users: 1,
                    groups: 1,
                    open: None,
                }],
                duration: Nanos::from_secs(10),
                ramp: Nanos::ZERO,
                warmup: Nanos::ZERO,
                once: None,
            },
            mix: None,
            thresholds: Vec::new(),
            deadline: five,
            settle: five,
            timeouts: Timeouts {
                connect: five,
                first_byte: thirty,
                total: thirty
            },
            headers: Vec::new(),
            insecure: false,
            ca: None,
            client_certificate: None,
            http2: false,
            redirects: 10,
            repeat: true,
            max_message: 16_000_000,
            leftovers: None,
            watch: Watch::default(),
            source: Vec::new(),
            seed: None,
            script: ScriptLimits {
                memory: 1_000_000_000,
                time: Nanos::from_secs(1)
            },
        }
    );
}

/// Reads the defaults from the documentation of the types.
#[test]
fn the_types_state_the_same_defaults() {
    let types = include_str!("../../../script/types/headcount.d.ts");
    let stated = |option: &str, default: &str| {
        let at = types
            .find(&format!(" {option}?: "))
            .unwrap_or_else(|| panic!("no {option}"));
        let comment = types[..at].rfind("/**").expect("a comment in front");
        let text = &types[comment..at];
        assert!(
            text.contains(&format!("Default {default}")),
            "{option}: {text}"
        );
    };
    stated("group", "1");
    stated("deadline", "\"5s\"");
    stated("settle", "\"5s\"");
    stated("connect", "\"5s\"");
    stated("total", "\"30s\"");
    stated("insecure", "false");
    stated("http2", "false");
    stated("redirects", "10");
    stated("maxMessage", "\"16MB\"");
    stated("memory", "\"1GB\"");
    stated("time", "\"1s\"");
    stated("duration", "\"10s\"");
    stated("warmup", "\"0s\"");
    stated("limit", "\"60s\"");
}

/// An option that is only in the types would be refused. An option that only the reader knows would be missing in the
/// editor's completion.
#[test]
fn the_types_and_the_reader_know_the_same_options() {
    let types = include_str!("../../../script/types/headcount.d.ts");
    let interface = |name: &str| -> Vec<String> {
        let start = types
            .find(&format!("export interface {name} {{"))
            .expect(name);
        let end = start + types[start..].find("\n  }").expect("an end");
        let lines = types[start..end].lines();
        let fields = lines.filter_map(|line| line.strip_prefix("    "));
        fields
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
            .map(|line| line.split(['?', ':']).next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(interface("Options"), KNOWN);
    assert_eq!(interface("Load"), super::load::KNOWN);
}

#[test]
fn everything_can_be_set() {
    let options = read(&json!({
        "target": "https://[::1]:8443/base",
        "group": { "buyer": 1, "sellers": 3 },
        "load": { "groups": [1, 2], "once": true, "limit": "90s" },
        "thresholds": { "requests": "p95 < 1s", "delivery(a.b)": ["lost == 0", "late == 0"] },
        "deadline": 250, "settle": "0s",
        "timeouts": { "connect": "1s", "total": "2s" },
        "headers": { "X-B": "1", "X-A": " 2 " },
        "insecure": true, "ca": "ca.pem", "cert": "own.pem", "key": "own.key", "http2": true,
        "redirects": 0, "maxMessage": "1MiB",
        "leftovers": { "url": "/sessions", "at": "/open" },
        "seed": 7, "script": { "memory": "64MB", "time": "100ms" },
    }));
    assert_eq!(options.target.as_deref(), Some("https://[::1]:8443/base"));
    assert!(options.insecure && options.http2);
    let roles = vec![("buyer".to_owned(), 1), ("sellers".to_owned(), 3)];
    assert_eq!(options.grouping, Grouping::Roles(roles));
    let level = |users, groups| LevelLoad {
        users,
        groups,
        open: None,
    };
    assert_eq!(options.load.levels, [level(4, 1), level(8, 2)]);
    assert_eq!(
        options.load.once,
        Some(Once {
            limit: Nanos::from_secs(90)
        })
    );
    assert_eq!(options.load.duration, Nanos::ZERO);
    let texts: Vec<String> = options.thresholds.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "requests: p95 < 1s",
            "delivery(a.b): lost == 0",
            "delivery(a.b): late == 0"
        ]
    );
    assert_eq!(
        options.deadline,
        Nanos::from_millis(250),
        "a number is milliseconds"
    );
    assert_eq!(options.timeouts.first_byte, Nanos::from_secs(2), "as total");
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        options.headers,
        [header("X-B", "1"), header("X-A", "2")],
        "the user's order"
    );
    let files = ClientCertificateFiles {
        cert: "own.pem".into(),
        key: "own.key".into(),
    };
    assert_eq!(options.client_certificate, Some(files));
    assert_eq!(options.max_message, 1 << 20);
    assert_eq!(options.script.memory, 64_000_000);
    assert_eq!(options.seed, Some(7));
}

#[test]
fn a_fixed_number_of_groups_shares_users_out_evenly() {
    let options = read(&json!({ "groups": 3, "load": { "users": [3, 11] } }));
    let level = &options.load.levels[1];
    let sizes: Vec<u32> = (0..3).map(|group| level.group_size(group)).collect();
    assert_eq!(sizes, [4, 4, 3]);
    let before: Vec<u32> = (0..=3).map(|group| level.users_before(group)).collect();
    assert_eq!(before, [0, 4, 8, 11]);
    assert_eq!(options.load.levels[0].group_size(2), 1);
}

#[test]
fn all_problems_are_reported_at_once() {
    let found = problems(&json!({
        "taget": "http://x", "group": 5,
        "load": { "users": [10, 12, 0], "duratoin": "1s" },
        "deadline": "soon",
    }));
    let starts: Vec<&str> = found
        .iter()
        .map(|text| text.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        starts,
        [
            "taget",
            "load.duratoin",
            "load.users[1]",
            "load.users[2]",
            "deadline"
        ]
    );
    assert!(
        found[0].ends_with("hint: did you mean `target`?"),
        "{}",
        found[0]
    );
    assert!(
        found[1].ends_with("hint: did you mean `duration`?"),
        "{}",
        found[1]
    );
    assert!(
        found[2].ends_with("hint: nearest possible numbers: 10 and 15"),
        "{}",
        found[2]
    );
}

/// Every member of `Group` in the types must be refused as the name of a role.
#[test]
fn no_role_can_hide_a_member_of_the_group() {
    let types = include_str!("../../../script/types/headcount.d.ts");
    let start = types.find("export interface Group<").expect("Group");
    let end = start + types[start..].find("\n  }").expect("an end");
    let mut members = 0;
    for line in types[start..end]
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
    {
        let line = line.strip_prefix("readonly ").unwrap_or(line);
        let name = line.split(['?', ':', '(', '<']).next().unwrap();
        if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()) && line != name {
            members += 1;
            let found = problems(&json!({ "group": { name: 1 }, "load": { "users": 1 } }));
            assert!(
                found[0].contains("a property of every group"),
                "{name}: {found:?}"
            );
        }
    }
    assert!(
        members >= 14,
        "only {members} members were found in the types"
    );
}

#[test]
fn targets_are_plain_urls() {
    for good in [
        "http://127.0.0.1:5000",
        "https://example.test/",
        "HTTP://a_b",
        "http://[::1]",
        "http://bücher.test:1/a%20b",
        "nats://127.0.0.1:4222",
        "tls://a.test",
    ] {
        let options = read(&json!({ "target": good, "load": { "users": 1 } }));
        assert_eq!(options.target.as_deref(), Some(good));
    }
}

#[test]
fn credentials_in_a_target_are_refused_and_not_repeated() {
    for url in ["http://me:secret@h", "ws://me:secret@h"] {
        let found = problems(&json!({ "target": url, "load": { "users": 1 } }));
        assert_eq!(found.len(), 1);
        assert!(!found[0].contains("secret"), "{}", found[0]);
    }
}
