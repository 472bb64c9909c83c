//! Injected faults. The clients see exactly the faults that the editor counts.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::Client;
use crate::served::Served;

const EDITS: usize = 300;

/// Returns the numbers in the texts that a client receives, until a `disconnected` or `error` event.
fn numbers(client: &mut Client) -> Vec<usize> {
    let mut numbers = Vec::new();
    loop {
        let packet = client.next().unwrap();
        let event: Value = serde_json::from_str(packet.trim_start_matches("42")).unwrap();
        match event[0].as_str() {
            Some("code-change") => {
                numbers.push(event[1]["code"].as_str().unwrap().parse().unwrap());
            }
            Some("disconnected" | "error") => return numbers,
            _ => {}
        }
    }
}

#[test]
fn every_fault_is_seen_as_often_as_it_is_counted() {
    let faults = "drop=11,duplicate=13,stray=17";
    let editor = Served::start(&["--faults", faults, "--rate-limit", "0", "--queue", "4096"]);
    let mut wrong = Client::join(&editor.url, "other room", "eve");
    let mut readers = ["bob", "kim"].map(|name| Client::join(&editor.url, "room", name));
    let mut writer = Client::join(&editor.url, "room", "ada");
    for n in 0..EDITS {
        writer.edit("room", &n.to_string(), (n + 1 == EDITS).then_some(0));
    }
    while writer.next().unwrap() != "430[{\"ok\":true}]" {}
    drop(writer);
    let (mut lost, mut duplicated) = (0, 0);
    for reader in &mut readers {
        // Events about joins may arrive first, and do not end the count.
        let seen = numbers(reader);
        lost += (0..EDITS).filter(|n| !seen.contains(n)).count();
        duplicated += seen.windows(2).filter(|pair| pair[0] == pair[1]).count();
    }
    wrong.emit("nothing", &json!({}), None);
    let strayed = numbers(&mut wrong).len();
    let counts = editor.get("/faults")["counts"].clone();
    assert_eq!(counts["deliveries"], 2 * EDITS);
    assert_eq!(
        [
            &counts["dropped"],
            &counts["duplicated"],
            &counts["strayed"]
        ],
        [&json!(lost), &json!(duplicated), &json!(strayed)]
    );
    assert!(lost > 0 && duplicated > 0 && strayed > 0);
}

#[test]
fn a_delay_on_order_delays() {
    let editor = Served::start(&["--faults", "delay=30ms"]);
    let mut reader = Client::join(&editor.url, "room", "bob");
    let mut writer = Client::join(&editor.url, "room", "ada");
    let written = Instant::now();
    writer.edit("room", "text", None);
    assert_eq!(reader.text(), "text");
    assert!(written.elapsed() >= Duration::from_millis(30));
    assert!(editor.get("/faults")["counts"]["delayed"].as_u64().unwrap() >= 1);
}
