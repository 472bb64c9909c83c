//! Namespaces cannot see, reach or starve each other.

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::receiver::Receiver;
use crate::served::Served;

/// A registry with these namespaces. The file must exist only until the start.
fn served(namespaces: &Value) -> Served {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), namespaces.to_string()).unwrap();
    Served::start(&["--namespaces", &file.path().display().to_string()])
}

#[tokio::test]
async fn a_token_opens_only_its_own_namespace() {
    let served = served(&json!({ "a": { "token": "ta" }, "b": { "token": "tb" } }));
    let body = json!({ "identity": "x" });
    assert_eq!(served.call("a/register", "ta", &body).await.0, 200);
    for (path, token, status) in [
        ("a/register", "tb", 401),
        ("a/register", "", 401),
        ("c/register", "ta", 404),
    ] {
        assert_eq!(
            served.call(path, token, &body).await.0,
            status,
            "{path} {token}"
        );
    }
    let url = format!(
        "{}/v1/a/inbox/events?identity=x&access_token=tb",
        served.url
    );
    assert_eq!(served.http.get(url).send().await.unwrap().status(), 401);
}

#[tokio::test]
async fn the_same_identity_in_ten_namespaces_is_ten_identities() {
    let names: Vec<String> = (0..10).map(|n| format!("team{n}")).collect();
    let settings: Value = names
        .iter()
        .map(|name| (name.clone(), json!({ "token": name })))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let served = served(&settings);
    let mut receivers = Vec::new();
    for name in &names {
        let body = json!({ "identity": "x", "metadata": { "team": name } });
        served.call(&format!("{name}/register"), name, &body).await;
        receivers.push(Receiver::open_in(&served, name, "x", name).await);
    }
    for name in &names {
        let found = served
            .call(&format!("{name}/enumerate"), name, &json!({}))
            .await
            .1;
        assert_eq!(found["total"], 1);
        let body = json!({ "filter": {}, "payload": name, "timeout_ms": 0 });
        let answer = served
            .call(&format!("{name}/multicast"), name, &body)
            .await
            .1;
        assert_eq!(answer["target_count"], 1);
    }
    for (name, receiver) in names.iter().zip(&mut receivers) {
        receiver.gets(&name.as_str().into()).await;
        // The answer to the complaint is next, so nothing else was sent to this receiver.
        receiver.say("{}").await;
        assert_eq!(receiver.next().await.unwrap()["type"], "error");
    }
}

#[tokio::test]
async fn each_namespace_has_limits_of_its_own() {
    let served = served(&json!({
        "small": { "max_identities": 2, "max_metadata": 20, "max_payload": 10, "max_ttl": "5s",
                   "max_receivers": 1, "max_queued": 1 },
        "slow": { "register_rate": 3 },
        "large": {},
    }));
    let register = async |namespace: &str, body: Value| {
        let (status, answer) = served
            .call(&format!("{namespace}/register"), "", &body)
            .await;
        (
            status,
            answer["error"]["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let quota = (429, "quota_exceeded".to_owned());
    for n in 0..3 {
        let expected = if n < 2 {
            (200, String::new())
        } else {
            quota.clone()
        };
        assert_eq!(
            register("small", json!({ "identity": format!("i{n}") })).await,
            expected
        );
        let body = json!({ "identity": format!("i{n}"), "ttl_seconds": 3600 });
        assert_eq!(register("large", body).await.0, 200);
    }
    let large = json!({ "identity": "i0", "replace": true, "metadata": { "a": "x".repeat(20) } });
    assert_eq!(
        register("small", large).await,
        (400, "invalid_metadata".into())
    );
    let long = json!({ "identity": "i0", "replace": true, "ttl_seconds": 6 });
    assert_eq!(register("small", long).await.0, 400);
    let payload = json!({ "filter": {}, "payload": "x".repeat(20) });
    assert_eq!(served.call("small/multicast", "", &payload).await.0, 400);

    let statuses = |n: usize| (0..n).map(|n| json!({ "identity": format!("s{n}") }));
    let mut refused = 0;
    for body in statuses(30) {
        refused += u32::from(register("slow", body).await == (429, "rate_limited".into()));
    }
    assert!(refused > 0, "30 registrations at once exceed 3 per second");
    assert_eq!(
        register("large", json!({ "identity": "free" })).await.0,
        200
    );

    let kept = json!({ "identities": ["i0"], "payload": 1, "delivery": "at_least_once" });
    assert_eq!(
        served.call("small/multicast", "", &kept).await.1["queued_count"],
        1
    );
    let full = served.call("small/multicast", "", &kept).await.1;
    assert_eq!(full["results"][0]["cause"], "queue_full");

    let _open = Receiver::open_in(&served, "small", "i0", "").await;
    let url = format!("{}/v1/small/inbox/events?identity=i1", served.url);
    assert_eq!(served.http.get(url).send().await.unwrap().status(), 429);
}
