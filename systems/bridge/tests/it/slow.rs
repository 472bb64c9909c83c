use serde_json::json;

use crate::served::Served;

#[tokio::test]
async fn a_websocket_is_a_connection_like_another_as_long_as_it_is_open() {
    let bridge = Served::start(&["--max-connections", "3"]);
    let ada = bridge.join("user=ada&room=Tower").await;
    let _bob = bridge.join("user=bob&room=Tower").await;
    assert_eq!(
        bridge.metric("http_connections").await,
        3,
        "the question is one"
    );
    assert!(bridge.try_join("user=eve&room=Tower").await.is_none());
    drop(ada);
    // The bridge may notice the disconnect with some delay.
    for _ in 0..500 {
        if bridge.try_join("user=eve&room=Tower").await.is_some() {
            return;
        }
    }
    panic!("the place is not free again");
}

#[tokio::test]
async fn a_receiver_that_does_not_read_is_cut_off_and_nobody_else_is_hurt() {
    const MESSAGES: usize = 4000;
    let bridge = Served::start(&["--queue", "64"]);
    let _stuck = bridge.join("user=stuck&room=Tower").await;
    let mut healthy = bridge.join("user=healthy&room=Tower").await;
    let mut speaker = bridge.join("user=speaker&room=Tower").await;
    // More data than the sockets of one connection can hold.
    let text = "x".repeat(4000);
    let mut heard = 0;
    for _ in 0..MESSAGES {
        speaker.send(&json!({ "type": "say", "text": text })).await;
        assert_eq!(speaker.event().await["type"], "said");
        assert_eq!(speaker.event().await["type"], "reply");
        heard += usize::from(healthy.event().await["type"] == "said");
    }
    assert_eq!(heard, MESSAGES);
    assert_eq!(bridge.metric("bridge_sockets_too_slow_total").await, 1);
}
