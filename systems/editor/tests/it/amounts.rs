//! The size limits of a document, of awareness and of a caret. Exceeding a limit affects only the client that does so.

use serde_json::json;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect};
use yrs::encoding::write::Write as _;
use yrs::sync::SyncMessage;
use yrs::updates::encoder::Encode;
use yrs::{Array, Doc, Text, Transact};

use crate::client::{Client, PATIENCE};
use crate::served::Served;

/// A Yjs connection.
struct Line(WebSocket<MaybeTlsStream<std::net::TcpStream>>);

impl Line {
    fn open(editor: &Served, room: &str) -> Self {
        let url = format!("{}/yjs/{room}", editor.url.replace("http", "ws"));
        let (socket, _) = connect(url).unwrap();
        let MaybeTlsStream::Plain(stream) = socket.get_ref() else {
            unreachable!("loopback is plain")
        };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(socket)
    }

    fn send(&mut self, bytes: Vec<u8>) {
        // If the connection has been closed, the next read reports it.
        let _ = self.0.send(Message::binary(bytes));
    }

    fn update(&mut self, update: Vec<u8>) {
        self.send(yrs::sync::Message::Sync(SyncMessage::Update(update)).encode_v1());
    }

    /// Returns the close code, and ignores everything before it.
    fn close_code(&mut self) -> u16 {
        loop {
            if let Message::Close(frame) = self.0.read().unwrap() {
                return frame.unwrap().code.into();
            }
        }
    }

    /// Sends a request. Returns the close code, or `None` if there is a response.
    fn closed(&mut self) -> Option<u16> {
        let known = SyncMessage::SyncStep1(yrs::StateVector::default());
        self.send(yrs::sync::Message::Sync(known).encode_v1());
        loop {
            match self.0.read().unwrap() {
                Message::Close(frame) => return Some(frame.unwrap().code.into()),
                Message::Binary(bytes) if bytes.starts_with(&[0, 1]) => return None,
                _ => {}
            }
        }
    }
}

/// An awareness message of one client with a state of this size.
fn presence(client: u32, bytes: usize) -> Vec<u8> {
    let mut update = vec![1];
    update.write_var(client);
    update.push(1);
    update.write_string(&json!({ "name": "x".repeat(bytes - 11) }).to_string());
    let mut message = vec![1];
    message.write_buf(update);
    message
}

#[test]
fn what_is_no_text_counts_for_the_size_of_a_document_too() {
    let limits = ["--max-document", "100000", "--max-message", "150000"];
    let editor = Served::start(&limits);
    let doc = Doc::new();
    let array = doc.get_or_insert_array("stash");
    let mut line = Line::open(&editor, "room");
    for _ in 0..2 {
        let mut transaction = doc.transact_mut();
        array.push_back(&mut transaction, "x".repeat(90_000));
        line.update(transaction.encode_update_v1());
        drop(transaction);
        assert_eq!(line.closed(), None);
    }
    let mut transaction = doc.transact_mut();
    array.push_back(&mut transaction, "x".repeat(90_000));
    line.update(transaction.encode_update_v1());
    assert_eq!(line.closed(), Some(4413));
    // Updates that lack a predecessor also count, because their content is stored.
    let mut line = Line::open(&editor, "other");
    let doc = Doc::new();
    let text = doc.get_or_insert_text("code");
    text.push(&mut doc.transact_mut(), "lost");
    let closed = (0..5).find_map(|_| {
        let mut transaction = doc.transact_mut();
        text.push(&mut transaction, &"x".repeat(60_000));
        line.update(transaction.encode_update_v1());
        drop(transaction);
        line.closed()
    });
    assert_eq!(closed, Some(4413));
}

#[test]
fn a_text_grows_by_yjs_to_the_limit_and_no_further_so_that_those_with_whole_texts_can_still_write()
{
    let editor = Served::start(&["--max-document", "1000", "--max-message", "4000"]);
    let doc = Doc::new();
    let text = doc.get_or_insert_text("code");
    let mut line = Line::open(&editor, "room");
    let write = |from: u32, remove: u32, letters: usize| {
        let mut transaction = doc.transact_mut();
        text.remove_range(&mut transaction, from, remove);
        text.insert(&mut transaction, from, &"x".repeat(letters));
        transaction.encode_update_v1()
    };
    line.update(write(0, 0, 900));
    // The text keeps its length, although the update's size would allow a longer text.
    line.update(write(100, 800, 800));
    line.update(write(0, 0, 100));
    assert_eq!(line.closed(), None);
    let mut ada = Client::join(&editor.url, "room", "ada");
    assert_eq!(ada.text().len(), 1000);
    line.update(write(0, 0, 1));
    assert_eq!(line.closed(), Some(4413));
    assert!(ada.edit("room", &"y".repeat(1000), Some(0)));
    while ada.next().unwrap() != "430[{\"ok\":true}]" {}
}

#[test]
fn what_somebody_says_of_itself_is_limited() {
    let editor = Served::start(&[]);
    let mut line = Line::open(&editor, "room");
    line.send(presence(7, 16_384));
    assert_eq!(line.closed(), None);
    line.send(presence(8, 16_385));
    assert_eq!(line.closed(), Some(4413));
}

#[test]
fn a_message_of_yjs_that_was_cut_ends_the_line() {
    let editor = Served::start(&[]);
    let whole = presence(7, 100);
    let mut line = Line::open(&editor, "room");
    line.send(whole[..50].to_vec());
    assert_eq!(line.closed(), Some(1003));
}

#[test]
fn a_caret_is_a_place_and_a_name_and_little_more() {
    let editor = Served::start(&[]);
    let mut ada = Client::join(&editor.url, "room", "ada");
    let mut bob = Client::join(&editor.url, "room", "bob");
    let caret = |beside: usize, name: usize| {
        json!({
            "roomId": "room",
            "cursor": { "line": 1, "ch": 2, "sticky": "x".repeat(beside) },
            "username": "u".repeat(name),
        })
    };
    for (beside, name, wrong) in [(5000, 3, "cursor"), (5, 300, "username")] {
        bob.emit("cursor-change", &caret(beside, name), None);
        let expected = format!("`{wrong}` must have at most 256 bytes");
        assert!(bob.next().unwrap().contains(&expected));
    }
    bob.emit("cursor-change", &caret(5, 3), None);
    assert!(ada.next().unwrap().starts_with("42[\"joined\""));
    let heard = ada.next().unwrap();
    assert!(
        heard.starts_with("42[\"cursor-change\"") && heard.contains("xxxxx"),
        "{heard}"
    );
}

#[test]
fn as_many_as_are_let_in_by_socket_io_are_let_in_by_yjs_too() {
    let editor = Served::start(&["--max-members", "1"]);
    let _ada = Client::join(&editor.url, "room", "ada");
    let mut first = Line::open(&editor, "room");
    assert_eq!(first.closed(), None);
    assert_eq!(Line::open(&editor, "room").closed(), Some(4403));
}

#[test]
fn a_frame_full_of_questions_keeps_nobody_waiting_and_takes_no_memory() {
    let known = SyncMessage::SyncStep1(yrs::StateVector::default());
    let what = yrs::sync::Message::Sync(known).encode_v1();
    let who = yrs::sync::Message::AwarenessQuery.encode_v1();
    for (rate, question, code) in [
        ("200", &what, 1008),
        ("200", &who, 4529),
        ("0", &what, 1008),
        ("0", &who, 1008),
    ] {
        let editor = Served::start(&["--rate-limit", rate]);
        let mut ada = Client::join(&editor.url, "room", "ada");
        assert!(ada.edit("room", &"x".repeat(800_000), Some(0)));
        while !ada.next().unwrap().starts_with("430[") {}
        let mut bob = Line::open(&editor, "room");
        bob.send(presence(1, 16_000));
        assert_eq!(bob.closed(), None);
        let before = editor.memory();
        let mut eve = Line::open(&editor, "room");
        eve.send(question.repeat(100_000));
        assert_eq!(editor.get("/healthz")["status"], "ok");
        let grown = editor.memory().saturating_sub(before);
        assert!(grown < 250_000_000, "{grown} bytes for {question:?}");
        assert_eq!(eve.close_code(), code, "{rate} {question:?}");
    }
}

#[test]
fn a_presence_that_is_no_json_hurts_nobody_else() {
    let editor = Served::start(&[]);
    let mut eve = Line::open(&editor, "room");
    eve.send(vec![1, 7, 1, 7, 1, 3, b'{', b'"', b'a']);
    assert_eq!(eve.closed(), Some(1003));
}
