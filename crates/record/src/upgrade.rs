//! Converts a saved run of an older version to the current format before it is read.
//!
//! Where version 3 has identifiers, versions 1 and 2 had sentences. Some keys also had other names. Sentences that
//! match an identifier are translated; all others remain text.

use serde_json::{Map, Value, json};

/// New names of keys. A path lists the keys that lead to an object; `*` matches every element of a list or object.
const RENAMED: [(&str, &str, &str); 6] = [
    ("levels/*/measured", "story", "funnel"),
    ("levels/*/phases", "hold_s", "duration_s"),
    ("levels/*/measured", "exchanges", "round_trips"),
    ("levels/*/measured/deliveries/*", "strayed", "misdelivered"),
    ("levels/*/series/*", "exchanges", "round_trips"),
    ("levels/*/generator", "receipt_error", "receive_error"),
];

/// Loss and misdelivery reasons of versions 1 and 2.
const REASONS: [(&str, &str); 12] = [
    ("never seen", "never_seen"),
    ("receiver disconnected", "receiver_disconnected"),
    ("receiver left", "receiver_left"),
    ("send failed or refused", "send_failed"),
    ("arrived elsewhere", "misplaced"),
    ("own copy never seen", "own_copy"),
    ("outside the audience", "outside_audience"),
    ("another group", "another_group"),
    ("other group", "another_group"),
    ("another run", "another_run"),
    ("garbled", "garbled"),
    ("older than the ledger remembers", "forgotten"),
];

const DROP_CAUSES: [(&str, &str); 3] = [
    (
        "no user was free: most awaited the target's answers",
        "users_waiting",
    ),
    (
        "no user was free: most were in the scenario's own pauses or work",
        "users_busy",
    ),
    ("the generator was behind", "generator_behind"),
];

/// Converts version 1 or 2 to version 3.
pub(crate) fn to_version_3(run: &mut Value) {
    for (path, old, new) in RENAMED {
        each(run, path, &mut |object| rename(object, old, new));
    }
    each(run, "levels/*", &mut issues);
    for iterations in ["iterations", "scenarios/*"] {
        let path = format!("levels/*/measured/{iterations}");
        each(run, &path, &mut |object| {
            rename(object, "dropped_why", "dropped_by_cause");
            translate(object, "dropped_by_cause", &DROP_CAUSES);
        });
    }
    each(run, "levels/*/measured/deliveries/*", &mut |object| {
        translate(object, "lost", &REASONS);
        translate(object, "misdelivered", &REASONS);
    });
    each(run, "thresholds/*", &mut observed);
    each(run, "thresholds/*", &mut limited);
    each(run, "findings/*", &mut finding);
    each(run, "notes/*", &mut |note| {
        note.insert("kind".to_owned(), json!("text"));
    });
    each(run, "", &mut |run| {
        run.insert("version".to_owned(), json!(3));
    });
}

/// Adds the kind of figure that a threshold limits, derived from the first letters of its condition.
fn limited(threshold: &mut Map<String, Value>) {
    const BEGINNINGS: [(&str, &str); 7] = [
        ("p", "latency"),
        ("mean", "latency"),
        ("min", "latency"),
        ("max", "latency"),
        ("failed", "failures"),
        ("lost", "losses"),
        ("delivered", "losses"),
    ];
    let condition = threshold.get("condition").and_then(Value::as_str);
    let known = condition.and_then(|condition| {
        let mut known = BEGINNINGS.iter();
        known.find(|(beginning, _)| condition.starts_with(beginning))
    });
    if let Some((_, limits)) = known {
        threshold.insert("limits".to_owned(), json!(limits));
    }
}

/// Calls `change` for every object at `path`.
fn each(value: &mut Value, path: &str, change: &mut impl FnMut(&mut Map<String, Value>)) {
    let (key, rest) = match path.split_once('/') {
        _ if path.is_empty() => {
            if let Value::Object(object) = value {
                change(object);
            }
            return;
        }
        Some((key, rest)) => (key, rest),
        None => (path, ""),
    };
    match value {
        Value::Array(list) if key == "*" => list.iter_mut().for_each(|one| each(one, rest, change)),
        Value::Object(all) if key == "*" => {
            all.values_mut().for_each(|one| each(one, rest, change));
        }
        _ => {
            if let Some(one) = value.get_mut(key) {
                each(one, rest, change);
            }
        }
    }
}

fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.remove(old) {
        object.insert(new.to_owned(), value);
    }
}

/// Translates the keys of the counts at `key`. Counts of unknown keys are added to `unknown`, a key that exists for all
/// reasons.
fn translate(object: &mut Map<String, Value>, key: &str, words: &[(&str, &str)]) {
    let Some(Value::Object(counts)) = object.get_mut(key) else {
        return;
    };
    let mut translated: Map<String, Value> = Map::new();
    for (sentence, count) in std::mem::take(counts) {
        let known = words.iter().find(|(old, _)| *old == sentence);
        let name = known.map_or("unknown", |(_, new)| new);
        let sum = translated.get(name).and_then(Value::as_u64).unwrap_or(0);
        let sum = json!(sum + count.as_u64().unwrap_or(0));
        translated.insert(name.to_owned(), sum);
    }
    *counts = translated;
}

/// Converts `sound` and the sentences that explain it to a list of issues.
fn issues(level: &mut Map<String, Value>) {
    let mut issues = Vec::new();
    for (key, severity) in [
        ("unsound_reasons", "invalid"),
        ("suspicions", "questionable"),
    ] {
        let sentences = level.remove(key);
        let sentences = sentences.as_ref().and_then(Value::as_array);
        let issue = |text: &Value| json!({"severity": severity, "cause": "text", "text": text});
        issues.extend(sentences.into_iter().flatten().map(issue));
    }
    if level.remove("sound") == Some(json!(false)) && issues.is_empty() {
        issues.push(json!({"severity": "invalid", "cause": "not_measured"}));
    }
    level.insert("issues".to_owned(), Value::Array(issues));
}

/// Combines the figure and the text in `observed` into one value.
fn observed(threshold: &mut Map<String, Value>) {
    rename(threshold, "undecided", "inconclusive");
    let text = threshold.remove("observed_text");
    let value = threshold.remove("observed").unwrap_or(Value::Null);
    let text = text.as_ref().and_then(Value::as_str).unwrap_or("");
    let observed = if text.is_empty() && value.is_null() {
        Value::Null
    } else if text.is_empty() {
        json!({"is": "text", "text": value.to_string(), "value": value})
    } else {
        json!({"is": "text", "text": text, "value": value})
    };
    threshold.insert("observed".to_owned(), observed);
}

/// Keeps the sentences of a finding as text.
fn finding(finding: &mut Map<String, Value>) {
    let what = finding.remove("what").unwrap_or_default();
    finding.insert("cause".to_owned(), json!("text"));
    finding.insert("figures".to_owned(), json!({ "what": what }));
    for key in ["evidence", "unknown", "advice"] {
        if let Some(Value::Array(sentences)) = finding.get_mut(key) {
            for sentence in sentences {
                *sentence = json!({ "is": "text", "text": sentence.take() });
            }
        }
    }
}
