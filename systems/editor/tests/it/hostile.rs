//! Clients that try to crash the editor with nested updates (live and in the store), mutated frames and control frames.

#[path = "../common/nested.rs"]
mod nested;

use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use kit::testing::hostile::{resident, send_pings};
use nested::{DELETES, nested_types, nested_value, number};
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};

use crate::client::Client;
use crate::served::Served;

/// Close code for a document that is too large or an update that is nested too deeply.
const TOO_LARGE: Option<u16> = Some(4413);
/// The default maximum size of a message.
const LARGEST: usize = 1_000_000;

/// A request for the whole document.
const KNOWS_NOTHING: [u8; 4] = [0, 0, 1, 0];

/// Client 9 writes "fine" into the text.
const WRITES: [u8; 17] = [
    1, 1, 9, 0, 4, 1, 4, b'c', b'o', b'd', b'e', 4, b'f', b'i', b'n', b'e', 0,
];

/// Wraps an update in a message of the sync protocol.
fn message(update: &[u8]) -> Vec<u8> {
    [&[0, 2][..], &number(update.len()), update].concat()
}

/// Asserts that the room's text is the one that the honest client wrote.
fn reads_fine(editor: &Served, room: &str) {
    let mut ada = Client::open(&editor.url);
    ada.emit("join", &json!({ "roomId": room, "username": "ada" }), None);
    assert_eq!(ada.text(), "fine");
}

#[test]
fn updates_nested_up_to_the_message_limit_are_refused_and_others_served_on_any_threads() {
    for threads in ["1", "4"] {
        let editor = Served::start(&["--threads", threads, "--rate-limit", "0"]);
        let mut honest = Client::listen(&editor.url, "room");
        assert!(honest.send_bytes(&message(&WRITES)));
        for depth in [101, 6000, 24_000, (LARGEST - 20) / 2] {
            let mut eve = Client::listen(&editor.url, "room");
            assert!(eve.send_bytes(&message(&nested_value(depth))));
            assert_eq!(eve.close_code(), TOO_LARGE, "{depth} levels");
        }
        for depth in [102, 30_000, 110_000] {
            let mut eve = Client::listen(&editor.url, "room");
            assert!(eve.send_bytes(&message(&nested_types(depth))));
            assert_eq!(eve.close_code(), TOO_LARGE, "{depth} types");
        }
        let mut eve = Client::listen(&editor.url, "room");
        assert!(eve.send_bytes(&message(&nested_types(100))));
        assert!(eve.send_bytes(&message(&DELETES)));
        reads_fine(&editor, "room");
    }
}

#[test]
fn what_was_stored_before_it_was_refused_kills_nobody_who_opens_the_room() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("editor.db");
    let store = format!("sqlite:{}", file.display());
    Served::start(&["--store", &store]).stop();
    let rows = [
        nested_value(6000),
        nested_value(1_000_000),
        nested_types(40_000),
        DELETES.to_vec(),
        WRITES.to_vec(),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let mut database = SqliteConnection::connect(&store).await.unwrap();
        for update in rows {
            let length = u32::try_from(update.len()).unwrap().to_le_bytes();
            let row = [&length[..], &update].concat();
            let insert = sqlx::query("INSERT INTO editor_log (room, data) VALUES ('room', ?)");
            insert.bind(row).execute(&mut database).await.unwrap();
        }
    });
    for threads in ["1", "4"] {
        let editor = Served::start(&["--store", &store, "--threads", threads]);
        reads_fine(&editor, "room");
    }
}

/// Number of frames that are mutated at random and sent. Manual runs use 100,000.
fn mutations() -> u64 {
    let asked = std::env::var("EDITOR_MUTATED_FRAMES").ok();
    asked.map_or(500, |asked| asked.parse().unwrap())
}

#[test]
fn mutated_frames_end_their_own_lines_and_nothing_else() {
    let frames = mutations();
    for threads in ["1", "4"] {
        let editor = Served::start(&["--threads", threads, "--rate-limit", "0"]);
        let mut honest = Client::listen(&editor.url, "honest");
        assert!(honest.send_bytes(&message(&WRITES)));
        let mut dice = 0x5eed_u64;
        println!("{frames} frames, seed {dice:#x}, {threads} threads");
        let mut eve = Client::listen(&editor.url, "room-0");
        for n in 0..frames {
            let base = match n % 4 {
                0 => WRITES.to_vec(),
                1 => nested_types(50),
                2 => nested_value(1 << (dice % 19)),
                _ => DELETES.to_vec(),
            };
            let mut frame = message(&base);
            for _ in 0..2 {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let [at, value, ..] = dice.to_be_bytes();
                let at = usize::from(at) % frame.len();
                frame[at] = value;
            }
            // The request after the frame ensures that the frame is read before the next one is sent.
            let sent = eve.send_bytes(&frame) && eve.send_bytes(&KNOWS_NOTHING);
            if !sent || eve.bytes_like(&[0, 1]).is_none() {
                eve = Client::listen(&editor.url, &format!("room-{}", n / 50));
            }
        }
        reads_fine(&editor, "honest");
        assert_eq!(editor.get("/healthz")["status"], "ok");
    }
}

#[test]
fn pings_that_nobody_reads_the_answers_of_are_counted_in_what_may_wait() {
    let editor = Served::start(&["--queue-bytes", "1000000"]);
    let before = resident(editor.pid());
    let address = editor.url.strip_prefix("http://").unwrap().parse().unwrap();
    let sent = send_pings(address, "/yjs/room");
    let grown = resident(editor.pid()).saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes for {sent} bytes of pings");
    assert_eq!(editor.get("/healthz")["status"], "ok");
}

#[test]
fn an_array_is_no_object() {
    let editor = Served::start(&[]);
    let mut eve = Client::open(&editor.url);
    for (event, payload) in [
        ("join", json!(["room", "eve"])),
        (
            "cursor-change",
            json!({ "roomId": "room", "cursor": [1, 2], "username": "eve" }),
        ),
    ] {
        eve.emit(event, &payload, None);
        let packet = eve.next().unwrap();
        let refused: Value = serde_json::from_str(packet.trim_start_matches("42")).unwrap();
        assert_eq!(
            (&refused[0], &refused[1]["event"]),
            (&json!("error"), &json!(event))
        );
        let why = refused[1]["message"].as_str().unwrap();
        assert!(why.contains("expected an object"), "{why}");
    }
}

#[test]
fn nobody_else_on_the_machine_may_read_the_documents() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("editor.db");
    let store = format!("sqlite:{}", file.display());
    let editor = Served::start(&["--store", &store]);
    let mut ada = Client::join(&editor.url, "room", "ada");
    ada.edit("room", "secret", Some(0));
    ada.next().unwrap();
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert!(
        files.len() >= 3,
        "the database, its log and its lock: {files:?}"
    );
    for file in files {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.path().display());
    }
}

#[test]
fn who_lets_everybody_run_code_is_told_so_at_the_start() {
    for (listen, code, warned) in [
        ("0.0.0.0:0", "true", true),
        ("0.0.0.0:0", "false", false),
        ("127.0.0.1:0", "true", false),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-editor"))
            .args(["--listen", listen, "--run-code", code, "--log", "warn"])
            .env("EDITOR_STORE", "sqlite::memory:")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert_eq!(
            said.contains("can run programs here"),
            warned,
            "{listen} {code}: {said}"
        );
    }
}
