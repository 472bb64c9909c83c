use serde_json::{Value, json};

use crate::served::{Listener, Served};

async fn say(listener: &mut Listener, text: &str) {
    listener.send(&json!({ "type": "say", "text": text })).await;
}

#[tokio::test]
async fn what_is_said_is_heard_in_the_room_and_nowhere_else() {
    let bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let mut bob = bridge.join("user=bob&room=Tower").await;
    let mut eve = bridge.join("user=eve&room=Chapel").await;
    say(&mut ada, "hello").await;
    let heard = bob.event().await;
    assert_eq!(heard["type"], "said");
    assert_eq!(
        (&heard["from"], &heard["text"]),
        (&json!("ada"), &json!("hello"))
    );
    assert_eq!(
        (&heard["room"], &heard["sequence"]),
        (&json!("Tower"), &json!(1))
    );
    say(&mut eve, "alone").await;
    let own = eve.event().await;
    assert_eq!(
        (&own["text"], &own["sequence"]),
        (&json!("alone"), &json!(1))
    );
}

#[tokio::test]
async fn the_reply_goes_to_the_speaker_alone() {
    let bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let mut bob = bridge.join("user=bob&room=Tower").await;
    say(&mut ada, "one").await;
    let kinds = [ada.event().await, ada.event().await].map(|event| event["type"].clone());
    assert_eq!(kinds, ["said", "reply"]);
    say(&mut bob, "two").await;
    let heard = [bob.event().await, bob.event().await];
    assert_eq!(heard.map(|event| event["text"].clone()), ["one", "two"]);
}

#[tokio::test]
async fn what_is_said_by_http_is_heard_by_websocket() {
    let bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada&room=Garden").await;
    bridge.say("bob", "Garden", "by http").await;
    assert_eq!(ada.event().await["text"], "by http");
}

#[tokio::test]
async fn all_who_listen_hear_one_order_without_a_gap() {
    const EACH: usize = 50;
    let bridge = Served::start(&[]);
    let mut listeners = Vec::new();
    for n in 0..4 {
        listeners.push(bridge.join(&format!("user=user-{n}&room=Library")).await);
    }
    let talking = listeners.into_iter().map(|mut listener| {
        tokio::spawn(async move {
            for n in 0..EACH {
                say(&mut listener, &format!("{n}")).await;
            }
            let mut heard = Vec::new();
            while heard.len() < 4 * EACH {
                let event = listener.event().await;
                if event["type"] == "said" {
                    heard.push(event);
                }
            }
            heard
        })
    });
    let mut orders: Vec<Vec<Value>> = Vec::new();
    for talk in talking.collect::<Vec<_>>() {
        orders.push(talk.await.unwrap());
    }
    let sequences = orders[0].iter().map(|e| e["sequence"].as_u64().unwrap());
    assert!(sequences.eq(1..=200));
    assert!(orders.iter().all(|order| *order == orders[0]));
}

#[tokio::test]
async fn who_moves_hears_the_new_room_and_no_longer_the_old() {
    let bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    ada.send(&json!({ "type": "move", "room": "Dungeon" }))
        .await;
    assert_eq!(ada.event().await["type"], "moved");
    bridge.say("bob", "Tower", "not for ada").await;
    bridge.say("eve", "Dungeon", "for ada").await;
    assert_eq!(ada.event().await["text"], "for ada");
}

#[tokio::test]
async fn who_comes_and_goes_is_told_to_those_who_asked() {
    let bridge = Served::start(&["--grace", "10ms"]);
    let mut watcher = bridge.join("user=ada&room=Tower&presence=true").await;
    let mut plain = bridge.join("user=bob&room=Tower").await;
    assert_eq!(watcher.event().await["type"], "joined");
    let eve = bridge.join("user=eve&room=Tower").await;
    assert_eq!(watcher.event().await["user"], "eve");
    drop(eve);
    let left = watcher.event().await;
    assert_eq!(
        (&left["type"], &left["user"]),
        (&json!("left"), &json!("eve"))
    );
    say(&mut plain, "nobody told me").await;
    assert_eq!(plain.event().await["type"], "said");
}

#[tokio::test]
async fn bad_messages_get_an_error_event_and_the_connection_goes_on() {
    let bridge = Served::start(&["--max-message", "10"]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let cases = [
        ("not json", "invalid_json"),
        ("[]", "invalid_json"),
        ("{\"type\":\"sing\"}", "unknown_type"),
        ("{\"type\":\"say\"}", "invalid_json"),
        ("{\"type\":\"say\",\"text\":\"\"}", "empty_message"),
        (
            "{\"type\":\"say\",\"text\":\"12345678901\"}",
            "message_too_large",
        ),
        ("{\"type\":\"move\",\"room\":\"Attic\"}", "unknown_room"),
    ];
    for (text, code) in cases {
        ada.send_text(text).await;
        let event = ada.event().await;
        assert_eq!(
            (&event["type"], &event["code"]),
            (&json!("error"), &json!(code))
        );
    }
    ada.send_binary().await;
    assert_eq!(ada.event().await["code"], "text_expected");
    say(&mut ada, "still here").await;
    assert_eq!(ada.event().await["text"], "still here");
}

#[tokio::test]
async fn a_message_beyond_all_limits_closes_its_own_connection_only() {
    let bridge = Served::start(&["--max-body", "5000"]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let mut bob = bridge.join("user=bob&room=Tower").await;
    ada.send_text(&"x".repeat(6000)).await;
    let (_, frame) = ada.until_close().await;
    assert_eq!(frame.map(|frame| u16::from(frame.code)), Some(1002));
    say(&mut bob, "here").await;
    assert_eq!(bob.event().await["text"], "here");
}
