//! Several nodes over a real NATS server.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::client::Client;
use crate::served::Served;

/// So often nothing may come for as long as a client waits, while nodes find each other again.
const SILENCES: usize = 5;

/// A NATS server of Debian's package, on a free port; killed when dropped.
struct Nats {
    child: Child,
    url: String,
}

impl Nats {
    fn start(folder: &Path) -> Self {
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", "-1", "--ports_file_dir"])
            .arg(folder)
            .stderr(Stdio::null())
            .spawn();
        let child = child
            .expect("nats-server is there: `apt-get install nats-server`, which ./test.sh does");
        let ports = folder.join(format!("nats-server_{}.ports", child.id()));
        // The file is there once it listens.
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

/// Waits until a member has got this text.
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
    // NATS takes one MiB at once.
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
