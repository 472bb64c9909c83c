//! Several nodes over a real NATS server.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::client::Client;
use crate::served::Served;

/// Maximum number of read timeouts in a row while nodes find each other again.
const SILENCES: usize = 5;

/// A NATS server from the Debian package. Killed when dropped.
struct Nats {
    child: Child,
    url: String,
}

impl Nats {
    fn start(folder: &Path) -> Self {
        Self::start_at(folder, "-1")
    }

    /// Starts a NATS server at a given port.
    fn start_at(folder: &Path, port: &str) -> Self {
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", port, "--ports_file_dir"])
            .arg(folder)
            .stderr(Stdio::null())
            .spawn();
        let child = child
            .expect("nats-server is there: `apt-get install nats-server`, which ./test.sh does");
        let ports = folder.join(format!("nats-server_{}.ports", child.id()));
        // The file exists as soon as the server listens.
        let written = (0..500).find_map(|_| {
            sleep(Duration::from_millis(10));
            let ports: serde_json::Value = serde_json::from_slice(&fs::read(&ports).ok()?).ok()?;
            ports["nats"][0].as_str().map(str::to_owned)
        });
        Self {
            child,
            url: written.unwrap(),
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_room_on_two_nodes_is_one_room() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let (here, there) = (
        Served::start(&["--nats-url", &nats.url]),
        Served::start(&["--nats-url", &nats.url]),
    );
    here.script("nodes.mjs", &[&there.url]);
}

/// Waits until a member receives this text.
fn gets(client: &mut Client, text: &str) {
    let expected = serde_json::json!({ "code": text }).to_string();
    let mut silences = 0;
    loop {
        match client.next() {
            Some(packet) if packet.contains(&expected) => return,
            Some(_) => {}
            None => silences += 1,
        }
        assert!(silences < SILENCES, "it never came");
    }
}

#[test]
fn texts_of_any_size_are_the_same_on_all_nodes_and_for_newcomers() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let flags = ["--nats-url", &nats.url];
    let (here, there) = (Served::start(&flags), Served::start(&flags));
    let mut ada = Client::join(&here.url, "room", "ada");
    let mut bob = Client::join(&there.url, "room", "bob");
    // The maximum payload of NATS is one MiB.
    for size in [1_000, 400_000, 600_000, 890_000] {
        let text = format!("{size} {}", "x".repeat(size));
        assert!(ada.edit("room", &text, None));
        gets(&mut bob, &text);
        gets(&mut Client::join(&there.url, "room", "kim"), &text);
    }
    assert!(ada.edit("room", "small again", None));
    gets(&mut bob, "small again");
    for node in [&here, &there] {
        gets(&mut Client::join(&node.url, "room", "eve"), "small again");
    }
}

#[test]
fn members_of_a_node_that_was_killed_are_gone_at_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let (here, mut there) = (
        Served::start(&["--nats-url", &nats.url]),
        Served::start(&["--nats-url", &nats.url]),
    );
    let mut ada = Client::join(&here.url, "room", "ada");
    let _bob = Client::join(&there.url, "room", "bob");
    assert!(ada.next().unwrap().contains("\"username\":\"bob\""));
    there.kill();
    let gone = ada.next().unwrap();
    assert!(
        gone.starts_with("42[\"disconnected\"") && gone.contains("\"username\":\"bob\""),
        "{gone}"
    );
}

#[test]
fn what_found_no_place_while_nats_was_away_is_there_on_all_nodes_when_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let (_, port) = nats.url.rsplit_once(':').unwrap();
    let port = port.to_owned();
    // All waiting messages arrive at once.
    let queue = ["--queue-bytes", "400000000", "--rate-limit", "0"];
    let flags = [&["--nats-url", &nats.url], &queue[..]].concat();
    let (here, there) = (Served::start(&flags), Served::start(&flags));
    let mut ada = Client::join(&here.url, "room", "ada");
    let mut bob = Client::join(&there.url, "room", "bob");
    assert!(ada.edit("room", "before", None));
    gets(&mut bob, "before");
    let mut zoe = Client::listen(&there.url, "room");
    assert!(zoe.greeted());
    let mut eve = Client::listen(&here.url, "room");
    assert!(eve.send_bytes(&presence("\"eve\"")));
    assert_eq!(zoe.bytes_like(&[1]), Some(presence("\"eve\"")));
    drop(nats);
    drop(eve);
    // Far more than may be queued for the other nodes.
    let text = |n: usize| format!("{n} {}", ["a", "b"][n % 2].repeat(850_000));
    let last = text(199);
    // This client must read all the time to respond to pings.
    let hears = thread::spawn({
        let last = last.clone();
        move || until(&mut bob, &last)
    });
    for n in 0..200 {
        assert!(ada.edit("room", &text(n), Some(n)));
        while !ada.next().unwrap().starts_with(&format!("43{n}[")) {}
    }
    let _nats = Nats::start_at(folder.path(), &port);
    hears.join().unwrap();
    gets(&mut Client::join(&there.url, "room", "kim"), &last);
    // Her departure was announced while the other node could not receive it.
    assert_eq!(zoe.bytes_like(&[1, 8]), Some(presence("null")));
}

/// Waits until a member receives this text, even if the nodes are busy for a long time.
fn until(client: &mut Client, text: &str) {
    let mut silences = 0;
    while silences < 3 * SILENCES {
        match client.next() {
            Some(packet) if packet.contains(text) => return,
            Some(_) => {}
            None => silences += 1,
        }
    }
    panic!("it never came");
}

/// An awareness message of the Yjs client 7 with this state.
fn presence(json: &str) -> Vec<u8> {
    let length = u8::try_from(json.len()).unwrap();
    let mut message = vec![1, length + 4, 1, 7, 1, length];
    message.extend(json.as_bytes());
    message
}

#[test]
fn clients_of_yjs_at_a_node_that_was_killed_are_not_seen_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let flags = ["--nats-url", &nats.url];
    let (here, mut there) = (Served::start(&flags), Served::start(&flags));
    let mut zoe = Client::listen(&here.url, "room");
    assert!(zoe.greeted());
    let mut eve = Client::listen(&there.url, "room");
    assert!(eve.greeted());
    assert!(eve.send_bytes(&presence("\"eve\"")));
    assert_eq!(zoe.bytes_like(&[1, 9]), Some(presence("\"eve\"")));
    there.kill();
    assert_eq!(zoe.bytes_like(&[1, 8]), Some(presence("null")));
}

#[test]
fn an_old_text_that_somebody_passes_to_another_node_does_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let flags = ["--nats-url", &nats.url];
    let (here, there) = (Served::start(&flags), Served::start(&flags));
    let mut ada = Client::join(&here.url, "room", "ada");
    let mut bob = Client::join(&there.url, "room", "bob");
    let joined = ada.next().unwrap();
    let joined: serde_json::Value = serde_json::from_str(&joined[2..]).unwrap();
    assert!(ada.edit("room", "new", None));
    gets(&mut bob, "new");
    let sync = serde_json::json!({ "socketId": joined[1]["socketId"], "code": "old" });
    assert!(ada.emit("sync-code", &sync, None));
    gets(&mut bob, "old");
    assert_eq!(bob.text(), "new");
}

/// Waits for this event about this user.
fn hears(client: &mut Client, event: &str, username: &str) {
    let username = format!("\"username\":\"{username}\"");
    let event = format!("42[\"{event}\"");
    while let Some(packet) = client.next() {
        // The user's name follows the list of members.
        let (_, about) = packet.rsplit_once("}],").unwrap_or(("", &packet));
        if packet.starts_with(&event) && about.contains(&username) {
            return;
        }
    }
    panic!("no {event} of {username}");
}

#[test]
fn members_of_a_node_that_was_silent_are_back_when_it_is_heard_again() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let flags = ["--nats-url", &nats.url];
    let (here, there) = (Served::start(&flags), Served::start(&flags));
    let mut ada = Client::join(&here.url, "room", "ada");
    let mut bob = Client::join(&there.url, "room", "bob");
    hears(&mut ada, "joined", "bob");
    // NATS forwards nothing for a while, but no connection breaks.
    let pid = Pid::from_raw(i32::try_from(nats.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    hears(&mut ada, "disconnected", "bob");
    hears(&mut bob, "disconnected", "ada");
    kill_process(pid, Signal::CONT).unwrap();
    hears(&mut ada, "joined", "bob");
    hears(&mut bob, "joined", "ada");
}
