use std::time::Duration;

use crate::client::{ask, say, server, text};

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_slow_writer_takes_as_long_as_its_pace_says() {
    let server = server(&[]);
    let got = server.get("/slow-write/100000/20000");
    assert_eq!(got.body.len(), 20_000);
    assert!((200 * MS..1500 * MS).contains(&got.took), "{:?}", got.took);
}

#[test]
fn a_slow_reader_takes_as_long_as_its_pace_says() {
    let server = server(&[]);
    let mut socket = server.connect();
    let got = ask(&mut socket, "POST", "/slow-read/1000000", &vec![7; 200_000]);
    assert_eq!(got.status, 200);
    assert!((200 * MS..1500 * MS).contains(&got.took), "{:?}", got.took);
    // Afterwards the connection has its normal speed again.
    assert_eq!(ask(&mut socket, "GET", "/healthz", b"").status, 200);
}

#[test]
fn a_room_that_reads_slowly_hears_everything_in_the_end() {
    let server = server(&[]);
    let mut speaker = server.websocket("/room/a?read=100000");
    let mut hearer = server.websocket("/room/a?read=100000");
    let begin = crate::client::now();
    for n in 0..20 {
        say(&mut speaker, &format!("{n:01000}"));
    }
    for n in 0..20 {
        assert_eq!(text(&mut hearer), format!("{n:01000}"));
    }
    assert!(begin.elapsed() >= 190 * MS, "{:?}", begin.elapsed());
}
