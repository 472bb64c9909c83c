//! The log in a real `PostgreSQL`.

use std::collections::BTreeMap;

use kit::testing::Postgres;

use crate::client::Client;
use crate::durable::{survives_an_orderly_stop, survives_kills};
use crate::served::Served;

/// Maximum number of read timeouts while the editor reconnects to the database.
const SILENCES: usize = 5;

#[test]
fn a_log_in_postgresql_survives_and_becomes_short() {
    let postgres = Postgres::start();
    survives_an_orderly_stop(&postgres.url());
}

#[test]
fn what_was_acknowledged_survives_a_kill_under_load_in_postgresql_too() {
    let postgres = Postgres::start();
    survives_kills(&postgres.url(), 5);
}

/// Collects the acknowledgements of numbered edits until there are enough. Returns for each number whether the edit was
/// accepted.
fn answers(
    client: &mut Client,
    enough: impl Fn(&BTreeMap<usize, bool>) -> bool,
) -> BTreeMap<usize, bool> {
    let (mut answers, mut silences) = (BTreeMap::new(), 0);
    while !enough(&answers) {
        assert!(silences < SILENCES, "{answers:?}");
        let packet = client.next().unwrap_or_else(|| {
            silences += 1;
            String::new()
        });
        let answer = packet
            .strip_prefix("43")
            .and_then(|rest| rest.split_once('['));
        if let Some((number, answer)) = answer {
            answers.insert(number.parse().unwrap(), answer.contains("\"ok\":true"));
        }
    }
    answers
}

#[test]
fn while_the_database_is_away_what_cannot_wait_is_refused_and_what_waits_is_saved() {
    const EDITS: usize = 120;
    let postgres = Postgres::start();
    let editor = Served::start(&["--store", &postgres.url(), "--rate-limit", "0"]);
    let mut ada = Client::open(&editor.url);
    postgres.close();
    // Nobody was in this room before. Its document waits for the database, and these edits wait for the document.
    for n in 0..EDITS {
        let text = format!("{n} {}", "x".repeat(890_000));
        assert!(ada.edit("room", &text, Some(n)));
    }
    let refused = answers(&mut ada, |answers| answers.contains_key(&(EDITS - 1)));
    assert!(refused.values().all(|done| !done), "{refused:?}");
    let waiting = EDITS - refused.len();
    assert!((50..100).contains(&waiting), "{waiting} wait");
    let memory = editor.memory();
    assert!(memory < 250_000_000, "{memory} bytes");
    postgres.open();
    let done = answers(&mut ada, |answers| answers.len() == waiting);
    assert!(done.values().all(|done| *done), "{done:?}");
    let last = done.keys().next_back().unwrap();
    drop(ada);
    editor.stop();
    let editor = Served::start(&["--store", &postgres.url()]);
    let saved = Client::join(&editor.url, "room", "reader").text();
    assert!(saved.starts_with(&format!("{last} ")), "{}", &saved[..10]);
}
