//! Every operation, with the embedded backend.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::receiver::Events;
use crate::served::{Served, names};

#[tokio::test]
async fn a_registration_has_times_a_generation_and_ends_once() {
    let served = Served::start(&[]);
    let first = json!({ "identity": "a", "metadata": { "n": 1 }, "ttl_seconds": 60 });
    let answer = served.done("register", first.clone()).await;
    let time = |field: &str| {
        answer[field]
            .as_str()
            .unwrap()
            .parse::<jiff::Timestamp>()
            .unwrap()
    };
    let lasts = time("expires_at").as_millisecond() - time("registered_at").as_millisecond();
    assert_eq!(lasts, 60_000);
    assert_eq!(answer["change"], "registered");

    assert_eq!(
        served.refused("register", first).await,
        (409, "already_exists".into())
    );
    let again = json!({ "identity": "a", "metadata": { "n": 2 }, "replace": true });
    let replaced = served.done("register", again).await;
    assert_eq!(replaced["change"], "replaced");
    assert_eq!(replaced["expires_at"], Value::Null);
    assert!(replaced["generation"].as_u64() > answer["generation"].as_u64());
    assert_eq!(served.found(json!({ "n": 2 })).await, ["a"]);

    for removed in [true, false] {
        let answer = served.done("unregister", json!({ "identity": "a" })).await;
        assert_eq!(answer["removed"], removed);
    }
    let gone = served.refused("refresh", json!({ "identity": "a" })).await;
    assert_eq!(gone, (404, "not_registered".into()));
}

#[tokio::test]
async fn a_name_that_would_break_a_subject_is_refused_with_its_rule() {
    let served = Served::start(&[]);
    for (name, rule) in [
        ("", "empty"),
        ("a.b", "`.`"),
        ("a*", "wildcard"),
        ("a b", "spaces"),
        ("a/b", "`/`"),
    ] {
        let (status, answer) = served.post("register", json!({ "identity": name })).await;
        let error = &answer["error"];
        assert_eq!(
            (status, error["code"].as_str()),
            (400, Some("invalid_identity")),
            "{name}"
        );
        assert!(error["message"].as_str().unwrap().contains(rule), "{error}");
    }
}

#[tokio::test]
async fn pages_cover_everything_once_in_every_order() {
    let served = Served::start(&[]);
    for n in 0..25 {
        let ttl = 100 + (n * 7) % 25;
        let body = json!({ "identity": format!("id{n:02}"), "metadata": { "even": n % 2 == 0 }, "ttl_seconds": ttl });
        served.done("register", body).await;
    }
    for sort_by in ["identity", "registered_at", "expires_at"] {
        let (mut seen, mut ends, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
        loop {
            let body = json!({ "filter": { "even": true }, "limit": 5, "cursor": cursor, "sort_by": sort_by });
            let page = served.done("enumerate", body).await;
            assert_eq!(page["total"], 13);
            seen.extend(names(&page));
            let listed = page["identities"].as_array().unwrap();
            // Times are shown without trailing zeros, so compare them as times.
            let order = listed.iter().map(|found| {
                let text = found[sort_by].as_str().unwrap().to_owned();
                let time = text.parse::<jiff::Timestamp>();
                (time.ok(), text)
            });
            ends.extend(order.map(|(time, text)| (time, time.is_none().then_some(text))));
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert!(ends.is_sorted(), "{sort_by}: {ends:?}");
        seen.sort();
        let all: Vec<_> = (0..25).step_by(2).map(|n| format!("id{n:02}")).collect();
        assert_eq!(seen, all, "{sort_by}");
    }
    let bare = json!({ "include_metadata": false, "limit": 1 });
    let page = served.done("enumerate", bare).await;
    assert_eq!(page["identities"], json!([{ "identity": "id00" }]));
}

#[tokio::test]
async fn a_wrong_filter_is_refused_with_the_place_of_the_mistake() {
    let served = Served::start(&[]);
    let filter = json!({ "$or": [{ "a": 1 }, { "b.lt": null }] });
    let (status, answer) = served.post("enumerate", json!({ "filter": filter })).await;
    let error = &answer["error"];
    assert_eq!(
        (status, error["code"].as_str()),
        (400, Some("invalid_filter"))
    );
    assert_eq!(error["at"], "/$or/1/b.lt");
}

/// The time to live ends within a second, and a registration that replaced or refreshed another one stays.
#[tokio::test]
async fn a_time_to_live_ends_in_time_and_never_ends_a_newer_registration() {
    let served = Served::start(&[]);
    let mut watch = Events::open(&served, "default/watch").await;
    let begin = Instant::now();
    for identity in ["short", "replaced", "refreshed"] {
        let body = json!({ "identity": identity, "ttl_seconds": 1 });
        served.done("register", body).await;
    }
    let longer = json!({ "identity": "replaced", "ttl_seconds": 100, "replace": true });
    served.done("register", longer).await;
    let longer = json!({ "identity": "refreshed", "ttl_seconds": 100 });
    served.done("refresh", longer).await;
    let expired = loop {
        let event = watch.next().await.unwrap();
        if event.name == "expired" {
            break event;
        }
    };
    let passed = begin.elapsed();
    assert_eq!(expired.data["identity"], "short");
    assert!(
        passed >= Duration::from_secs(1) && passed < Duration::from_secs(2),
        "{passed:?}"
    );
    served.shows(&["refreshed", "replaced"]).await;
    // Past the end of all first registrations.
    let later = begin + Duration::from_millis(1300);
    sleep(later.saturating_duration_since(Instant::now())).await;
    served.shows(&["refreshed", "replaced"]).await;
    let text = "multicast_registry_ttl_expiration_total";
    assert_eq!(served.metric(text).await, 1);
}

#[tokio::test]
async fn a_watch_sees_every_change_that_meets_its_filter_in_order() {
    let served = Served::start(&[]);
    let mut watch = Events::open(&served, "default/watch?filter=%7B%22room%22%3A1%7D").await;
    for (identity, room) in [("a", 1), ("b", 2), ("c", 1)] {
        served.register(identity, json!({ "room": room })).await;
    }
    served.done("refresh", json!({ "identity": "a" })).await;
    served.done("unregister", json!({ "identity": "a" })).await;
    let mut seen = Vec::new();
    let mut generation = 0;
    while seen.len() < 4 {
        let event = watch.next().await.unwrap();
        let next = event.data["generation"].as_u64().unwrap();
        assert!(next > generation);
        generation = next;
        seen.push(format!(
            "{} {}",
            event.name,
            event.data["identity"].as_str().unwrap()
        ));
    }
    assert_eq!(
        seen,
        [
            "registered a",
            "registered c",
            "refreshed a",
            "unregistered a"
        ]
    );
}

#[tokio::test]
async fn metrics_count_what_happened() {
    let served = Served::start(&[]);
    for identity in ["a", "b"] {
        served.register(identity, json!({})).await;
    }
    served.found(json!({})).await;
    let expected = [
        ("multicast_registry_registered_identities", 2),
        ("multicast_registry_register_latency_seconds_count", 2),
        ("multicast_registry_enumerate_latency_seconds_count", 1),
        ("multicast_registry_requests_total", 3),
    ];
    for (name, value) in expected {
        assert_eq!(served.metric(name).await, value, "{name}");
    }
    let health = served
        .http
        .get(format!("{}/healthz", served.url))
        .send()
        .await;
    let health: Value = health.unwrap().json().await.unwrap();
    assert_eq!(health["identities"], 2);
}
