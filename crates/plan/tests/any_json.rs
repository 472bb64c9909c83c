//! Any options that a script can export are read or refused, and never cause a panic.

use plan::{Options, Overrides, with_overrides};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Names of options, so that generated values reach the reader of every option.
const NAMES: [&str; 38] = [
    "target",
    "group",
    "groups",
    "load",
    "thresholds",
    "deadline",
    "settle",
    "timeouts",
    "headers",
    "insecure",
    "ca",
    "cert",
    "key",
    "redirects",
    "maxMessage",
    "leftovers",
    "seed",
    "script",
    "watch",
    "source",
    "users",
    "duration",
    "ramp",
    "warmup",
    "once",
    "limit",
    "connect",
    "firstByte",
    "total",
    "memory",
    "url",
    "at",
    "rate",
    "arrivals",
    "mix",
    "pid",
    "metrics",
    "only",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (1..200_u32).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[0-9.]{1,20}(us|s|h|kB|GB|%)".prop_map(Value::from),
        "(http|ws)://[a-z@:\\[\\]0-9/?#]{0,12}".prop_map(Value::from),
        "[0-9.]{1,6}/[smh]( (for|over) [0-9]{1,3}s)?(, [0-9]{1,3} times)?".prop_map(Value::from),
        "(p9[0-9.]{1,3}|lost) (<|==) [0-9]{1,3}(ms|%)?".prop_map(Value::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
        1 => ".{0,8}",
        1 => "(delivery|step)\\([a-zé]{0,4}\\)?",
    ]
}

fn json() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn options() -> impl Strategy<Value = Value> {
    let fields = prop::sample::select(&NAMES[..16]).prop_map(str::to_owned);
    prop::collection::vec((fields, json()), 0..8)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_json_is_read_or_refused(value in prop_oneof![1 => json(), 4 => options()], users in ".{0,6}") {
        let overrides = Overrides { users: Some(users), ..Overrides::default() };
        for value in [value.clone(), with_overrides(value, &overrides)] {
            if let Err(problems) = Options::from_json(&value) {
                prop_assert!(!problems.is_empty());
                prop_assert!(!problems.to_string().is_empty());
            }
        }
    }

    #[test]
    fn what_is_read_can_be_run(
        users in prop::collection::vec(1..5000_u32, 1..10), groups in 1..50_u32, size in 1..20_u32,
    ) {
        let load = serde_json::json!({ "users": users });
        for options in [
            serde_json::json!({ "groups": groups, "load": load }),
            serde_json::json!({ "group": size, "load": load }),
        ] {
            let Ok(options) = Options::from_json(&options) else { continue };
            prop_assert_eq!(options.load.levels.len(), users.len());
            for (level, users) in options.load.levels.iter().zip(&users) {
                prop_assert_eq!(level.users, *users);
                let mut sum = 0;
                for group in 0..level.groups {
                    prop_assert_eq!(level.users_before(group), sum);
                    prop_assert!(level.group_size(group) >= 1);
                    prop_assert!(level.group_size(0) - level.group_size(group) <= 1);
                    sum += level.group_size(group);
                }
                prop_assert_eq!(sum, level.users);
            }
        }
    }
}
