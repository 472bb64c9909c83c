use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use serde_json::json;

use crate::served::Served;

const SIGABRT: i32 = 6;

#[tokio::test]
async fn what_was_accepted_before_a_stop_is_delivered() {
    let mut bridge = Served::start(&[]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    for n in 0..200 {
        bridge.say("bob", "Tower", &n.to_string()).await;
    }
    bridge.terminate();
    let (events, frame) = ada.until_close().await;
    assert_eq!(frame.map(|frame| u16::from(frame.code)), Some(1001));
    let texts = events
        .iter()
        .map(|e| e["text"].as_str().unwrap().to_owned());
    assert!(texts.eq((0..200).map(|n| n.to_string())));
    drop(ada);
    assert_eq!(bridge.exit().await.code(), Some(0));
}

#[tokio::test]
async fn a_client_that_does_not_read_cannot_hold_up_a_stop() {
    let mut bridge = Served::start(&["--stop-limit", "200ms"]);
    let _silent = bridge.join("user=ada&room=Tower").await;
    bridge.terminate();
    assert_eq!(bridge.exit().await.code(), Some(0));
}

#[tokio::test]
async fn a_crash_on_order_comes_at_its_message() {
    let mut bridge = Served::start(&["--faults", "crash=3"]);
    let mut ada = bridge.join("user=ada&room=Tower").await;
    let say = json!({ "type": "say", "text": "again" });
    let mut said = 0;
    while said < 2 {
        ada.send(&say).await;
        // Wait for each message before sending the next one, because an abort discards data in flight.
        while ada.event().await["type"] != "said" {}
        said += 1;
    }
    ada.send(&say).await;
    assert_eq!(bridge.exit().await.signal(), Some(SIGABRT));
    let (events, _) = ada.until_close().await;
    let heard = events.iter().filter(|event| event["type"] == "said");
    assert_eq!(heard.count(), 0, "the third is not delivered");
}

#[test]
fn bad_configuration_is_refused_with_exit_code_2_before_anything_is_bound() {
    for (arguments, word) in [
        (["--faults", "drop=x"], "drop=x"),
        (["--rooms", "A,A"], "twice"),
        (["--threads", "0"], "--threads"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_headcount-bridge"))
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(word), "{text}");
        assert!(output.stdout.is_empty());
    }
}
