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

#[test]
fn clients_of_yjs_and_of_socket_io_converge_on_one_document() {
    Served::start(&[]).script("yjs.mjs", &[]);
}

#[test]
fn edits_that_cross_end_in_one_text_and_outlive_their_writers() {
    Served::start(&[]).script("converge.mjs", &[]);
}

#[test]
fn everybody_in_the_room_sees_what_came_of_a_program() {
    Served::start(&[]).script("run.mjs", &[]);
}

#[test]
fn where_running_code_is_off_it_says_so() {
    Served::start(&["--run-code", "false"]).script("run.mjs", &["off"]);
}
