//! Clients that impersonate others, fill rooms and memory, or come from a foreign web page.

use kit::testing::hostile::{resident, send_pings};
use serde_json::json;

use crate::served::Served;

#[tokio::test]
async fn one_who_sends_pings_and_reads_nothing_takes_no_memory() {
    const MEBIBYTE: usize = 1 << 20;
    let bridge = Served::start(&[]);
    let before = resident(bridge.pid());
    let address = bridge.address();
    let sending =
        tokio::task::spawn_blocking(move || send_pings(address, "/bridge/ws?user=eve&room=Tower"));
    let sent = sending.await.unwrap();
    let grown = resident(bridge.pid()).saturating_sub(before);
    // The kernel's buffers hold some data. The bridge itself stops reading when it cannot write pongs.
    assert!(sent < 64 * MEBIBYTE, "{sent} bytes of pings were taken");
    assert!(
        grown < 8 * MEBIBYTE,
        "{grown} bytes for {sent} bytes of pings"
    );
    bridge.say("ada", "Tower", "still here").await;
}

#[tokio::test]
async fn nobody_acts_for_a_user_of_a_websocket_without_the_secret() {
    let bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let without = json!({ "user": "ada", "room": "Garden", "message": "I give up" });
    let refused = bridge.chat(&without).await;
    assert_eq!(refused.status(), 403);
    let refused: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(refused["error"]["code"], "session_required");
    let mut wrong = without.clone();
    wrong["session"] = json!("0".repeat(32));
    assert_eq!(bridge.chat(&wrong).await.status(), 403);
    // Ada receives only her own message, in her own room.
    ada.send(&json!({ "type": "say", "text": "here" })).await;
    let said = ada.event().await;
    assert_eq!(
        (&said["text"], &said["room"]),
        (&json!("here"), &json!("Tower"))
    );
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_and_one_that_is_listed_is_not() {
    let bridge = Served::start(&["--allow-origin", "https://chat.example"]);
    let own = bridge.url().to_owned();
    for (origin, refused) in [
        ("https://evil.example", true),
        ("null", true),
        ("https://chat.example", false),
        (own.as_str(), false),
    ] {
        for path in ["/bridge/ws?user=ada", "/bridge/rooms"] {
            let answer = bridge.get_from(path, origin).await;
            assert_eq!(answer.status() == 403, refused, "{origin} {path}");
        }
    }
}

#[tokio::test]
async fn an_address_makes_only_so_many_sessions_and_those_that_it_has_go_on() {
    let limits = [
        "--address-limits",
        "session=50/1m",
        "--address-limit-bypass",
        "",
    ];
    let bridge = Served::start(&limits);
    for n in 0..25 {
        bridge.say(&format!("http-{n}"), "Tower", "hello").await;
    }
    let mut sockets = Vec::new();
    for n in 0..25 {
        sockets.push(bridge.join(&format!("user=ws-{n}&room=Tower")).await);
    }
    assert!(bridge.try_join("user=ws-25&room=Tower").await.is_none());
    let body = json!({ "user": "http-25", "room": "Tower", "message": "hello" });
    let refused = bridge.chat(&body).await;
    assert_eq!(refused.status(), 429);
    let seconds = refused.headers()["retry-after"].to_str().unwrap();
    assert!((1..=60).contains(&seconds.parse::<u64>().unwrap()));
    let refused: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(refused["error"]["code"], "too_many_from_address");
    bridge.say("http-0", "Tower", "still here").await;
}

#[tokio::test]
async fn an_array_is_no_object() {
    let bridge = Served::start(&[]);
    let refused = bridge.chat(&json!(["ada", "Tower", null, "hello"])).await;
    assert_eq!(refused.status(), 400);
    let refused: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(refused["error"]["code"], "invalid_json");
}
