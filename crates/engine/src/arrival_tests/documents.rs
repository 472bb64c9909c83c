//! Tests frames with several documents, each of which is a separate message for its consumers.

use delivery::{Documents, Framing, RECORD_SEPARATOR};
use model::{Nanos, Side};
use record::Mismatch;
use script::host::{Message, OpId, Payload, Value, Wake};

use super::{Listener, frame, text};
use crate::filter::Filter;
use crate::socket::{Waiting, Wanted};

fn said(stamp: &str) -> String {
    format!(r#"{{"type":"said","text":"hello {stamp}"}}"#)
}

impl Listener {
    fn reads_documents(mut self, framing: Framing) -> Self {
        self.state.documents = Documents::new(framing, 1 << 16);
        self
    }

    fn awaits(&mut self, op: u32, at: &str, value: &str) {
        let only = vec![(at.to_owned(), value.to_owned())];
        self.state.waiting.push_back(Waiting {
            op: OpId(op),
            until: Nanos::MAX,
            limit: Nanos::MAX,
            wanted: Wanted::Fitting {
                event: None,
                filter: Filter::new(only).unwrap(),
                named: true,
            },
            round_trip: None,
            carries: Vec::new(),
            in_array: false,
        });
    }

    /// The replies, each with its operation and its text.
    fn answered(&self) -> Vec<(u32, &str)> {
        let done = |wake| match wake {
            &Wake::Done {
                op,
                result: Ok(Value::Message(Message::Plain(Payload::Text(ref text)))),
            } => Some((op.0, text.as_str())),
            _ => None,
        };
        self.wakes.iter().filter_map(done).collect()
    }

    fn inbox(&self) -> Vec<&str> {
        fn text(message: &Message) -> &str {
            match message {
                Message::Plain(Payload::Text(text)) => text.as_str(),
                _ => "",
            }
        }
        self.state.inbox.messages().map(text).collect()
    }
}

/// A listener that looks for stamps at `/text`, in messages of this type only.
fn listener() -> Listener {
    Listener::new(Some(text()), &[("/type", "\"said\"")])
}

#[test]
fn every_document_of_a_frame_is_read_where_the_channel_looks() {
    let joined = |documents: &[String], framing: &str| match framing {
        "newline" => documents.join("\n"),
        "0x1e" => documents.join("\u{1e}") + "\u{1e}",
        "sockjs" => format!("a{}", serde_json::json!(documents)),
        _ => format!("[{}]", documents.join(",")),
    };
    for name in ["newline", "0x1e", "sockjs", "array"] {
        let framing = match name {
            "array" => Framing::Array,
            _ => Framing::Auto,
        };
        let mut listener = listener().reads_documents(framing);
        let mut documents = vec![r#"{"type":"joined"}"#.to_owned()];
        documents.extend((0..5).map(|_| said(&listener.sent())));
        documents.push(r#"{"type":"pong"}"#.to_owned());
        listener.hears(&frame(&joined(&documents, name)));
        assert_eq!(listener.counts(), [(5, 0, 0)], "{name}");
        let others = [documents[0].as_str(), &documents[6]];
        assert_eq!(listener.inbox(), others, "{name}");
    }
}

fn array(documents: &[String]) -> Vec<u8> {
    frame(&format!("[{}]", documents.join(",")))
}

#[test]
fn every_stamp_of_an_array_that_is_one_message_by_default_is_a_mistake_of_the_script() {
    let mut listener = listener();
    let elsewhere = format!(r#"{{"type":"said","texts":["{}"]}}"#, listener.sent());
    listener.hears(&frame(&elsewhere));
    let place = |stands: &str| Mismatch::Place {
        looks: "/text".to_owned(),
        stands: stands.to_owned(),
    };
    assert_eq!(listener.mismatch(), Some(&place("/texts/0")));
    let roster: Vec<_> = (0..2)
        .map(|_| said(&listener.sent()).replace("said", "was"))
        .collect();
    listener.hears(&array(&roster));
    assert_eq!(
        listener.mismatch(),
        Some(&place("/texts/0")),
        "another type"
    );
    let documents: Vec<_> = (0..5).map(|_| said(&listener.sent())).collect();
    listener.hears(&array(&documents));
    assert_eq!(listener.counts(), [(0, 0, 0)]);
    assert_eq!(listener.recorder.tallies[0].misplaced, 8);
    assert_eq!(listener.mismatch(), Some(&Mismatch::Array));
    listener.hears(&frame(&elsewhere));
    assert_eq!(listener.mismatch(), Some(&Mismatch::Array));
}

#[test]
fn an_array_with_a_message_that_the_member_already_has_excuses_no_loss() {
    let mut listener = listener();
    let (heard, lost) = (said(&listener.sent()), said(&listener.sent()));
    listener.hears(&frame(&heard));
    listener.hears(&array(&[heard, lost.clone()]));
    let misplaced = |listener: &Listener| listener.recorder.tallies[0].misplaced;
    assert_eq!((misplaced(&listener), listener.mismatch()), (0, None));
    listener.hears(&array(&[lost]));
    assert_eq!(misplaced(&listener), 1, "an array of new messages");
    assert_eq!(listener.mismatch(), Some(&Mismatch::Array));
}

#[test]
fn a_reply_in_an_array_that_is_one_message_by_default_is_marked_and_no_other() {
    let mut listener = listener();
    listener.awaits(1, "/id", "1");
    listener.awaits(2, "/id", "2");
    listener.hears(&frame(r#"[{"id":3},{"id":2}]"#));
    let marked = listener
        .state
        .waiting
        .iter()
        .map(|one| (one.op.0, one.in_array));
    assert_eq!(marked.collect::<Vec<_>>(), [(1, false), (2, true)]);
    assert_eq!(listener.inbox(), [r#"[{"id":3},{"id":2}]"#]);
    let (other, wanted) = (&listener.state.waiting[0], &listener.state.waiting[1]);
    let came_in_array = |waiting: &Waiting| listener.state.came_in_array(&waiting.wanted);
    assert_eq!((came_in_array(other), came_in_array(wanted)), (false, true));
    // The array may be unrelated to the reply, so the target is not excused.
    let hint = |waiting: &Waiting| {
        let fault = waiting.took_too_long();
        assert_eq!(fault.side, Side::Target);
        fault.detail.contains("`documents: \"array\"`")
    };
    assert_eq!((hint(other), hint(wanted)), (false, true));
}

#[test]
fn each_reply_is_found_wherever_in_the_frame_it_stands() {
    let mut listener = listener();
    for op in [3, 2, 1] {
        listener.awaits(op, "/id", &op.to_string());
    }
    listener.hears(&frame("{\"id\":1}\n{\"id\":2,\"x\":[\"\\n\"]}\n{\"id\":3}"));
    let answered = [
        (1, r#"{"id":1}"#),
        (2, r#"{"id":2,"x":["\n"]}"#),
        (3, r#"{"id":3}"#),
    ];
    assert_eq!(listener.answered(), answered);
    assert!(listener.inbox().is_empty());
}

#[test]
fn a_document_that_goes_on_in_the_next_frame_is_read_when_its_end_is_there() {
    let mut listener = listener().reads_documents(Framing::EndedBy(RECORD_SEPARATOR));
    let stream: String = (0..3).map(|_| said(&listener.sent()) + "\u{1e}").collect();
    let third = stream.len() / 3;
    let cuts = [0, third / 2, third + 5, 2 * third - 1, 3 * third];
    for (ends, delivered) in cuts.windows(2).zip([0, 1, 1, 3]) {
        listener.hears(&frame(&stream[ends[0]..ends[1]]));
        assert_eq!(listener.delivered(), delivered, "{ends:?}");
    }
}

#[test]
fn a_document_without_an_end_breaks_the_socket_at_the_limit() {
    let mut listener = listener();
    listener.state.documents = Documents::new(Framing::EndedBy(b'\n'), 300);
    let half = frame(&"x".repeat(200));
    listener.hears(&half);
    let (mut arrival, parser) = listener.arrival();
    parser
        .on_bytes(&half, &mut |event| arrival.on(event))
        .unwrap();
    let fault = arrival.talked.fault.unwrap();
    assert!(fault.detail.contains("more than 300 bytes"), "{fault:?}");
}

#[test]
fn a_frame_that_is_one_document_by_order_is_read_as_one() {
    let mut listener = listener().reads_documents(Framing::Whole);
    let first = said(&listener.sent());
    let two = format!("{first}\n{}", said(&listener.sent()));
    listener.hears(&frame(&two));
    assert_eq!(listener.counts(), [(1, 0, 0)]);
}
