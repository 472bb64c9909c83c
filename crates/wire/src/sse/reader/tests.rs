use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::cuts::split;
use crate::sse::Message;

const BODY: &str = "retry: 5\n\nid: 1\ndata: one\n\nevent: news\ndata: two\n\n";
const SEEN: [&str; 4] = ["opened", "retry 5", "message one 1", "news two 1"];

/// Reads a response in these pieces. Returns what was seen, the result, and the reader.
fn read(pieces: &[&[u8]]) -> (Vec<String>, Result<(), Fault>, Reader) {
    let mut reader = Reader::new(1000, "");
    let mut seen = Vec::new();
    let mut sink = |signal: Signal<'_>| {
        seen.push(match signal {
            Signal::Opened => "opened".to_owned(),
            Signal::Event(Event::Message(Message { name, data, id })) => {
                format!("{name} {data} {id}")
            }
            Signal::Event(Event::Retry(ms)) => format!("retry {ms}"),
            Signal::Event(other) => format!("{other:?}"),
        });
    };
    let result = pieces
        .iter()
        .try_for_each(|piece| reader.on_bytes(piece, &mut sink));
    (seen, result, reader)
}

fn head(rest: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{rest}\r\n")
}

/// The same stream in each framing, and whether the response says where it ends.
fn responses() -> [(String, bool); 3] {
    let chunks = BODY
        .as_bytes()
        .chunks(7)
        .fold(String::new(), |text, chunk| {
            let data = str::from_utf8(chunk).unwrap();
            format!("{text}{:x}\r\n{data}\r\n", data.len())
        });
    [
        (head("") + BODY, false),
        (
            head(&format!("Content-Length: {}\r\n", BODY.len())) + BODY,
            true,
        ),
        (
            head("Transfer-Encoding: chunked\r\n") + &chunks + "0\r\n\r\n",
            true,
        ),
    ]
}

proptest! {
    #[test]
    fn every_framing_and_every_cut_gives_the_same_events(cuts in vec(0_usize..10_000, 0..8)) {
        for (response, ends) in responses() {
            let (seen, result, reader) = read(&split(response.as_bytes(), &cuts));
            prop_assert_eq!(result, Ok(()));
            prop_assert_eq!(&seen, &SEEN, "{}", response);
            prop_assert_eq!((reader.is_done(), reader.on_close()), (ends, Ok(())));
            prop_assert_eq!(reader.last_event_id(), "1");
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300), cuts in vec(0_usize..300, 0..4)) {
        let response = [head("").as_bytes(), &bytes].concat();
        let (seen, ..) = read(&split(&response, &cuts));
        prop_assert_eq!(seen.first().map(String::as_str), Some("opened"));
    }
}

#[test]
fn interim_responses_are_skipped() {
    let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let (seen, result, _) = read(&[(early.to_owned() + &head("") + BODY).as_bytes()]);
    assert_eq!((seen.len(), result), (SEEN.len(), Ok(())));
    let (_, result, _) = read(&[early.repeat(101).as_bytes()]);
    assert!(result.unwrap_err().detail.contains("interim"));
}

/// The fault of a response that is refused or ends early, with `words` in its text.
#[track_caller]
fn fails(response: &str, kind: FaultKind, words: &str) {
    let (_, result, reader) = read(&[response.as_bytes()]);
    let fault = result.and_then(|()| reader.on_close()).unwrap_err();
    assert_eq!(
        (fault.kind, fault.side),
        (kind, model::Side::Target),
        "{fault}"
    );
    assert!(fault.detail.contains(words), "{fault}");
}

#[test]
fn an_early_end_is_a_fault_that_says_where_the_stream_ended() {
    let chunked = head("Transfer-Encoding: chunked\r\n");
    fails("", FaultKind::Closed, "before it responded");
    fails(
        "HTTP/1.1 200 OK\r\n",
        FaultKind::Closed,
        "the middle of the response's head",
    );
    fails(
        &chunked,
        FaultKind::Closed,
        "before the end of the event stream",
    );
    fails(
        &head("Content-Length: 9\r\n"),
        FaultKind::Closed,
        "before the end",
    );
    fails(
        &(head("") + "data: half\n"),
        FaultKind::Closed,
        "middle of an event",
    );
    let whole = chunked + "7\r\ndata: x\r\n0\r\n\r\n";
    fails(&whole, FaultKind::Closed, "middle of an event");
}

#[test]
fn a_response_that_is_no_stream_is_refused() {
    let gzip = head("Content-Encoding: gzip\r\n");
    fails(&gzip, FaultKind::Protocol, "`gzip`");
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    fails(html, FaultKind::Protocol, "`text/html`");
    fails("HTTP/1.1 404 Not Found\r\n\r\n", FaultKind::Status, "404");
    let ended = head("Content-Length: 9\r\n") + "data: x\n\nHTTP/1.1";
    fails(&ended, FaultKind::Protocol, "after the end");
}

#[test]
fn a_204_stops_the_stream() {
    let (seen, result, reader) = read(&[b"HTTP/1.1 204 No Content\r\n\r\n"]);
    assert_eq!((seen, result), (vec![], Ok(())));
    assert!(reader.is_done() && reader.is_stopped());
    assert!(reader.on_close().unwrap_err().detail.contains("204"));
}
