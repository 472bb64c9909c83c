//! The official clients, oldest and newest, over every transport.

use crate::served::Served;

#[test]
fn every_event_of_the_original_works_with_the_official_clients() {
    let editor = Served::start(&[]);
    for transport in ["websocket", "polling", "upgrade"] {
        for version in ["newest", "oldest"] {
            editor.script("events.mjs", &[transport, version]);
        }
    }
}

#[test]
fn what_crashed_the_original_is_refused_by_name() {
    Served::start(&[]).script("refused.mjs", &[]);
}
