//! No acknowledged edit is lost, however the editor ends.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::client::Client;
use crate::served::Served;

/// Number of writers, each in a separate room.
const WRITERS: usize = 4;
/// Number of edits in flight per writer.
const AHEAD: usize = 8;
/// Time limit for an acknowledgement.
const PATIENCE: Duration = Duration::from_secs(20);

fn line(number: usize) -> String {
    format!("line {number}\n")
}

/// Writes one line after another until the editor disconnects. Returns the number of acknowledged edits.
fn write_on(mut client: Client, room: &str, acknowledged: &Sender<()>) -> usize {
    let (mut text, mut sent, mut done) = (String::new(), 0, 0);
    loop {
        while sent < done + AHEAD {
            text += &line(sent);
            if !client.edit(room, &text, Some(sent)) {
                return done;
            }
            sent += 1;
        }
        let Some(packet) = client.next() else {
            return done;
        };
        if packet == format!("43{done}[{{\"ok\":true}}]") {
            done += 1;
            // After the kill, the receiver no longer exists.
            let _ = acknowledged.send(());
        }
    }
}

/// Runs the editor once under load, and kills it at a moment that depends on `round`. Returns the number of
/// acknowledged edits in each room.
fn life(store: &str, round: usize) -> Vec<usize> {
    let mut editor = Served::start(&["--store", store, "--rate-limit", "0"]);
    let (acknowledged, counted) = channel();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (room, acknowledged) = (format!("{round}-{writer}"), acknowledged.clone());
            let client = Client::join(&editor.url, &room, "writer");
            thread::spawn(move || write_on(client, &room, &acknowledged))
        })
        .collect();
    for _ in 0..40 + 7 * round {
        counted.recv_timeout(PATIENCE).unwrap();
    }
    editor.kill();
    writers
        .into_iter()
        .map(|writer| writer.join().unwrap())
        .collect()
}

/// Kills the editor `rounds` times. After each restart, checks that no acknowledged edit is missing.
pub(crate) fn survives_kills(store: &str, rounds: usize) {
    let mut total = 0;
    for round in 0..rounds {
        let acknowledged = life(store, round);
        let editor = Served::start(&["--store", store]);
        // Without an acknowledged edit, there may be no text to wait for.
        let some = |(_, count): &(usize, usize)| *count > 0;
        for (writer, count) in acknowledged.into_iter().enumerate().filter(some) {
            let room = format!("{round}-{writer}");
            let text = Client::join(&editor.url, &room, "reader").text();
            let expected: String = (0..count).map(line).collect();
            assert!(
                text.starts_with(&expected),
                "round {round}, room {room}: {count} acknowledged, found {text:?}"
            );
            total += count;
        }
    }
    assert!(total > rounds * 20, "only {total} edits were acknowledged");
}

#[test]
fn what_was_acknowledged_survives_a_kill_under_load_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.db");
    survives_kills(&format!("sqlite:{}", file.display()), 20);
}

/// Writes a log that is long enough to be compacted, stops the editor with SIGTERM, and then checks the document.
pub(crate) fn survives_an_orderly_stop(store: &str) {
    let editor = Served::start(&["--store", store, "--rate-limit", "0"]);
    let mut client = Client::join(&editor.url, "long", "writer");
    for n in 0..1200 {
        assert!(client.edit("long", &format!("text {n}"), Some(n)));
        // Waiting for each acknowledgement puts each edit into a separate row.
        while client.next().unwrap() != format!("43{n}[{{\"ok\":true}}]") {}
    }
    assert_eq!(editor.metric("editor_compactions_total"), 1);
    editor.stop();
    let editor = Served::start(&["--store", store]);
    let text = Client::join(&editor.url, "long", "reader").text();
    assert_eq!(text, "text 1199");
}

#[test]
fn a_document_survives_an_orderly_stop_and_a_long_log_becomes_short() {
    let folder = tempfile::tempdir().unwrap();
    survives_an_orderly_stop(&format!(
        "sqlite:{}",
        folder.path().join("log.db").display()
    ));
}

#[test]
fn a_log_of_few_large_texts_becomes_short_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("log.db").display());
    let editor = Served::start(&["--store", &store, "--rate-limit", "0"]);
    let mut client = Client::join(&editor.url, "large", "writer");
    let text = |n: usize| ["a", "b"][n % 2].repeat(800_000);
    // 48 MB of texts, each of which replaces the previous text.
    for n in 0..60 {
        assert!(client.edit("large", &text(n), Some(n)));
        while client.next().unwrap() != format!("43{n}[{{\"ok\":true}}]") {}
    }
    assert!(editor.metric("editor_compactions_total") >= 5);
    editor.stop();
    let files = std::fs::read_dir(folder.path()).unwrap();
    let bytes: u64 = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes < 24_000_000, "{bytes} bytes on the disk");
    let editor = Served::start(&["--store", &store]);
    let last = Client::join(&editor.url, "large", "reader").text();
    assert!(last == text(59));
}
