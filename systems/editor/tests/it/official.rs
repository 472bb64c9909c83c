//! The oldest and the newest official client, over every transport.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::served::{Served, e2e, script};

/// A plain relay on the official server, which behaves like the original. Killed when dropped.
struct Relay {
    child: Child,
    url: String,
}

impl Relay {
    fn start() -> Self {
        let mut child = Command::new("node")
            .arg("socketio-relay/server.mjs")
            .current_dir(e2e())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut port).unwrap();
        Self {
            child,
            url: format!("http://127.0.0.1:{}", port.trim()),
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_front_end_of_the_original_works_here_as_on_the_official_server_and_loses_nothing_when_its_line_breaks()
 {
    script(&Relay::start().url, "frontend.mjs", &["original"]);
    Served::start(&[]).script("frontend.mjs", &[]);
}

#[test]
fn the_load_tester_of_the_original_gets_all_that_was_sent_here_as_on_the_official_server() {
    script(&Relay::start().url, "tester.mjs", &[]);
    Served::start(&[]).script("tester.mjs", &[]);
}

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
