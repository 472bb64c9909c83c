//! Overrides from the command line, applied to the options before the options are checked.

use serde_json::{Map, Value, json};

/// Values from the command line, as typed. `None` leaves the scenario's value unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Base URL of the target.
    pub target: Option<String>,
    /// Users per group.
    pub group: Option<u64>,
    /// The number of users of one level, or of several levels: `"10,50"`.
    pub users: Option<String>,
    /// The rate, or a rate profile, of an open load.
    pub rate: Option<String>,
    /// Duration of each level's measurement.
    pub duration: Option<String>,
    /// Ramp-up time.
    pub ramp: Option<String>,
    /// Duration of the warm-up.
    pub warmup: Option<String>,
    /// Send every request exactly once.
    pub no_repeat: bool,
    /// Seed of all random choices.
    pub seed: Option<u64>,
    /// Prometheus endpoint of the target.
    pub metrics: Option<String>,
    /// One iteration of one group, without thresholds, with this time limit. It replaces the load.
    pub one_iteration: Option<String>,
    /// The whole load, in place of the scenario's.
    pub load: Option<Value>,
    /// All thresholds, in place of the scenario's.
    pub thresholds: Option<Value>,
    /// Local addresses and networks of the users. If empty, the scenario's addresses apply.
    pub source: Vec<String>,
}

/// Replaces values of the options by the overrides, without checking them. A wrong value stays as typed, and
/// [`Options::from_json`](crate::Options::from_json) reports it.
///
/// `users` also replaces `load.groups`, and `rate` replaces every closed load. Options that are not an object are
/// returned unchanged.
#[must_use]
pub fn with_overrides(value: Value, overrides: &Overrides) -> Value {
    let mut options = match value {
        Value::Object(options) => options,
        Value::Null => Map::new(),
        other => return other,
    };
    if let Some(target) = &overrides.target {
        options.insert("target".to_owned(), target.as_str().into());
    }
    if let Some(seed) = overrides.seed {
        options.insert("seed".to_owned(), seed.into());
    }
    if overrides.no_repeat {
        options.insert("repeat".to_owned(), false.into());
    }
    if let Some(group) = overrides.group {
        options.shift_remove("groups");
        options.insert("group".to_owned(), group.into());
    }
    if !overrides.source.is_empty() {
        options.insert("source".to_owned(), overrides.source.clone().into());
    }
    if let Some(metrics) = &overrides.metrics {
        let watch = options
            .entry("watch")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(watch) = watch {
            watch.insert("metrics".to_owned(), metrics.as_str().into());
        }
    }
    for (name, value) in [
        ("load", &overrides.load),
        ("thresholds", &overrides.thresholds),
    ] {
        if let Some(value) = value {
            options.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(limit) = &overrides.one_iteration {
        one_iteration(&mut options, limit);
        return Value::Object(options);
    }
    let has_rate = options
        .get("load")
        .is_some_and(|load| load.get("rate").is_some());
    let changes = load_changes(overrides, has_rate);
    if !changes.is_empty() {
        let load = options
            .entry("load")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(load) = load {
            if overrides.users.is_some() {
                load.shift_remove("groups");
            }
            // Levels of users and `once` belong to a closed load.
            if overrides.rate.is_some() {
                for name in ["users", "groups", "once", "limit"] {
                    load.shift_remove(name);
                }
            }
            // A rate profile has its own duration.
            let is_course = |rate: &String| rate.contains(" for ") || rate.contains(" over ");
            if overrides.rate.as_ref().is_some_and(is_course) {
                load.shift_remove("duration");
            }
            load.extend(changes);
        }
    }
    Value::Object(options)
}

/// Replaces the load by one iteration of one group. The group has as many users as a group of the first level.
fn one_iteration(options: &mut Map<String, Value>, limit: &str) {
    let users = options.get("load").and_then(|load| load.get("users"));
    let users = users.and_then(|users| users.get(0).unwrap_or(users).as_u64());
    let groups = options.get("groups").and_then(Value::as_u64);
    if let (Some(users), Some(groups @ 1..)) = (users, groups) {
        options.shift_remove("groups");
        options.insert("group".to_owned(), users.div_ceil(groups).max(1).into());
    }
    options.shift_remove("thresholds");
    let load = json!({ "groups": 1, "once": true, "limit": limit });
    options.insert("load".to_owned(), load);
}

fn load_changes(overrides: &Overrides, has_rate: bool) -> Map<String, Value> {
    let most = |text: &str| {
        text.parse::<u64>()
            .map_or_else(|_| Value::from(text), Value::from)
    };
    let users = overrides.users.as_deref();
    // With a rate, `users` is the maximum number of concurrent users, which is one number.
    let users = if has_rate || overrides.rate.is_some() {
        users.map(most)
    } else {
        users.map(ladder)
    };
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    [
        ("users", users),
        ("rate", overrides.rate.as_deref().map(rates)),
        ("duration", text(&overrides.duration)),
        ("ramp", text(&overrides.ramp)),
        ("warmup", text(&overrides.warmup)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}

/// Splits `"10/s,20/s"` into levels. A rate profile, whose parts have durations, stays one text.
fn rates(text: &str) -> Value {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_plain = |part: &&str| part.contains('/') && !part.contains(' ');
    if parts.len() > 1 && parts.iter().all(is_plain) {
        return Value::from(parts);
    }
    Value::from(text)
}

/// Splits `"10,50"` into `[10, 50]`. A part that is not a number stays a string.
fn ladder(text: &str) -> Value {
    text.split(',')
        .map(|part| {
            let part = part.trim();
            part.parse::<u64>()
                .map_or_else(|_| Value::from(part), Value::from)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_command_line_takes_the_place_of_the_scenarios_values() {
        let given = json!({ "target": "http://a", "load": { "groups": 4, "duration": "1s", "ramp": "2s" } });
        let overrides = Overrides {
            target: Some("http://b".to_owned()),
            users: Some("10, 50".to_owned()),
            duration: Some("3s".to_owned()),
            seed: Some(7),
            metrics: Some("http://b/metrics".to_owned()),
            ..Overrides::default()
        };
        assert_eq!(
            with_overrides(given, &overrides),
            json!({
                "target": "http://b", "seed": 7,
                "load": { "users": [10, 50], "duration": "3s", "ramp": "2s" },
                "watch": { "metrics": "http://b/metrics" },
            })
        );
    }

    #[test]
    fn a_rate_takes_the_place_of_users_and_a_course_that_of_the_hold() {
        let given = json!({ "load": { "users": [1, 2], "duration": "9s" } });
        let overrides = Overrides {
            rate: Some("5/s for 1s, nothing for 1s".to_owned()),
            ..Overrides::default()
        };
        let load = json!({ "load": { "rate": "5/s for 1s, nothing for 1s" } });
        assert_eq!(with_overrides(given, &overrides), load);
        let users = Overrides {
            users: Some("7".to_owned()),
            ..Overrides::default()
        };
        let given = json!({ "load": { "rate": "5/s" } });
        let load = json!({ "load": { "rate": "5/s", "users": 7 } });
        assert_eq!(with_overrides(given, &users), load);
    }

    #[test]
    fn several_rates_are_levels() {
        let of = |rate: &str| {
            let overrides = Overrides {
                rate: Some(rate.to_owned()),
                ..Overrides::default()
            };
            with_overrides(Value::Null, &overrides)["load"]["rate"].clone()
        };
        assert_eq!(of("10/s, 20/s"), json!(["10/s", "20/s"]));
        assert_eq!(of("10/s"), json!("10/s"));
        let profile = "10/s for 1s, 20/s for 1s";
        assert_eq!(of(profile), json!(profile));
        assert_eq!(of("10,20/s"), json!("10,20/s"));
    }

    #[test]
    fn a_size_of_groups_takes_the_place_of_their_number() {
        let given = json!({ "groups": 5, "load": { "users": 50 } });
        let overrides = Overrides {
            group: Some(10),
            ..Overrides::default()
        };
        let expected = json!({ "group": 10, "load": { "users": 50 } });
        assert_eq!(with_overrides(given, &overrides), expected);
    }

    #[test]
    fn a_whole_load_and_all_thresholds_take_the_place_of_the_scenarios() {
        let given = json!({ "load": { "users": 5, "ramp": "1s" }, "thresholds": { "requests": "failed < 1%" } });
        let load = json!({ "rate": "7/s", "duration": "3s" });
        let thresholds = json!({ "requests": ["p95 < 1s"] });
        let overrides = Overrides {
            load: Some(load.clone()),
            thresholds: Some(thresholds.clone()),
            ..Overrides::default()
        };
        let expected = json!({ "load": load, "thresholds": thresholds });
        assert_eq!(with_overrides(given, &overrides), expected);
    }

    #[test]
    fn without_overrides_nothing_changes() {
        let given = json!({ "load": { "users": 1 } });
        assert_eq!(with_overrides(given.clone(), &Overrides::default()), given);
        assert_eq!(with_overrides(json!(3), &Overrides::default()), json!(3));
    }

    #[test]
    fn a_scenario_without_options_gets_its_load_from_the_command_line() {
        let overrides = Overrides {
            users: Some("1".to_owned()),
            ..Overrides::default()
        };
        let options = with_overrides(Value::Null, &overrides);
        assert_eq!(options, json!({ "load": { "users": [1] } }));
        assert!(crate::Options::from_json(&options).is_ok());
    }

    #[test]
    fn what_is_no_number_is_reported_by_the_check() {
        let overrides = Overrides {
            users: Some("10,many".to_owned()),
            ..Overrides::default()
        };
        let options = with_overrides(json!({}), &overrides);
        let problems = crate::Options::from_json(&options).unwrap_err();
        assert_eq!(
            problems.to_string(),
            "load.users[1]: expected a whole number, got \"many\""
        );
    }
}
