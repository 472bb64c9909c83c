//! Running code, as the members of a room see it.

use serde_json::{Value, json};

use crate::client::Client;
use crate::served::Served;

/// Writes a mebibyte of control characters to each of the two streams. As JSON, they take six times as much.
const LOUD: &str = "all() { head -c 1048576 /dev/zero | tr '\\0' '\\1'; }; all; all >&2";

/// Returns the next event of this name, and the size of its packet in bytes.
fn event(client: &mut Client, name: &str) -> (Value, usize) {
    loop {
        let packet = client.next().expect("the line is up");
        let Some(text) = packet.strip_prefix("42") else {
            continue;
        };
        let mut event: Value = serde_json::from_str(text).unwrap();
        if event[0] == name {
            return (event[1].take(), packet.len());
        }
    }
}

#[test]
fn a_program_that_writes_all_that_it_may_throws_nobody_out() {
    let editor = Served::start(&[]);
    let mut all = ["Ada", "Ben", "Cleo"].map(|name| Client::join(&editor.url, "loud", name));
    let run = json!({ "roomId": "loud", "code": LOUD, "language": "shell" });
    assert!(all[0].emit("run-code", &run, None));
    for client in &mut all {
        let (said, size) = event(client, "code-output");
        assert!(size <= 1_000_000, "{size} bytes in one packet");
        let output = said["output"]["output"].as_str().unwrap();
        let error = said["output"]["error"].as_str().unwrap();
        assert!(output.len() > 60_000 && output.chars().all(|c| c == '\u{1}'));
        assert!(
            error.starts_with('\u{1}') && error.ends_with("the maximum size is 976 KiB."),
            "{:?}",
            &error[error.len().saturating_sub(60)..]
        );
    }
    let caret = json!({ "roomId": "loud", "cursor": { "line": 1, "ch": 2 }, "username": "Ada" });
    assert!(all[0].emit("cursor-change", &caret, None));
    for client in &mut all[1..] {
        event(client, "cursor-change");
    }
    assert_eq!(editor.metric("editor_lines_too_slow_total"), 0);
    assert_eq!(editor.metric("editor_runs_total"), 1);
}

#[test]
fn the_page_learns_what_can_be_run_and_how_long_an_answer_may_take() {
    let editor = Served::start(&[
        "--run-slots",
        "1",
        "--run-time",
        "1s",
        "--max-document",
        "5000",
    ]);
    let about = editor.get("/page.json");
    let languages = about["languages"].as_array().unwrap();
    assert!(languages.contains(&json!("shell")), "{about}");
    let longest = about["longestRun"].as_u64().unwrap();
    assert!(longest > 17_000, "17 programs of 1 s in turn: {about}");
    assert_eq!(about["maxDocument"], 5000);
    assert_eq!(about["maxMessage"], 1_000_000);
    assert_eq!(about["mayConnect"], true);
}

#[test]
fn where_nothing_is_run_the_page_is_told_so_and_nothing_is_counted_as_run() {
    let editor = Served::start(&["--run-code", "false"]);
    assert_eq!(editor.get("/page.json")["languages"], Value::Null);
    let mut ada = Client::join(&editor.url, "quiet", "Ada");
    let run = json!({ "roomId": "quiet", "code": "echo 1", "language": "shell" });
    assert!(ada.emit("run-code", &run, None));
    let (refused, _) = event(&mut ada, "error");
    assert_eq!(
        refused,
        json!({ "event": "run-code", "message": "code cannot be run here: running code is disabled" })
    );
    assert_eq!(editor.metric("editor_runs_total"), 0);
}
