use serde_json::json;

use crate::served::Served;

#[tokio::test]
async fn a_websocket_s_session_ends_after_it_went_away() {
    let bridge = Served::start(&["--grace", "50ms"]);
    let ada = bridge.join("user=ada&room=Tower").await;
    let bob = bridge.join("user=bob&room=Tower").await;
    assert_eq!(bridge.active().await, 2);
    drop(ada);
    bridge.until_active(1).await;
    drop(bob);
    bridge.until_active(0).await;
}

#[tokio::test]
async fn within_the_grace_a_session_is_resumed_by_its_secret() {
    let bridge = Served::start(&["--grace", "1h"]);
    let ada = bridge.join("user=ada&room=Garden").await;
    let secret = ada.session().to_owned();
    drop(ada);
    assert_eq!(bridge.refused("user=ada").await, 403);
    let again = bridge.join(&format!("user=ada&session={secret}")).await;
    assert_eq!(again.welcome["room"], "Garden");
    assert_eq!(bridge.active().await, 1);
}

#[tokio::test]
async fn a_newer_connection_replaces_the_older() {
    let bridge = Served::start(&["--grace", "10ms"]);
    let mut old = bridge.join("user=ada").await;
    let query = format!("user=ada&session={}", old.session());
    let mut new = bridge.join(&query).await;
    let (_, frame) = old.until_close().await;
    assert_eq!(frame.map(|frame| u16::from(frame.code)), Some(4001));
    drop(old);
    new.send(&json!({ "type": "say", "text": "still here" }))
        .await;
    assert_eq!(new.event().await["text"], "still here");
}

#[tokio::test]
async fn an_end_ends_at_once() {
    let bridge = Served::start(&["--grace", "1h"]);
    let mut ada = bridge.join("user=ada").await;
    ada.send(&json!({ "type": "end" })).await;
    let (_, frame) = ada.until_close().await;
    assert_eq!(frame.map(|frame| u16::from(frame.code)), Some(1000));
    assert_eq!(bridge.active().await, 0);
}

#[tokio::test]
async fn a_deleted_session_closes_its_websocket() {
    let bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada").await;
    let path = format!("/bridge/sessions/{}", ada.session());
    assert_eq!(bridge.delete(&path).await, 204);
    let (_, frame) = ada.until_close().await;
    assert_eq!(frame.map(|frame| u16::from(frame.code)), Some(1000));
}

#[tokio::test]
async fn an_idle_session_ends_and_a_connected_one_stays() {
    let bridge = Served::start(&["--idle-timeout", "50ms"]);
    let _ada = bridge.join("user=ada").await;
    bridge.say("bob", "Tower", "hello").await;
    bridge.until_active(1).await;
    let sessions = bridge.get("/bridge/sessions").await;
    assert_eq!(sessions["sessions"][0]["user"], "ada");
}

#[tokio::test]
async fn a_client_that_answers_no_ping_is_given_up() {
    let bridge = Served::start(&["--ping", "50ms", "--grace", "10ms"]);
    // The client is never polled again, so its socket stays open but it answers no pings.
    let _silent = bridge.join("user=ada").await;
    bridge.until_active(0).await;
    assert_eq!(bridge.metric("bridge_sockets_silent_total").await, 1);
}
