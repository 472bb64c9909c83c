//! Tests server-sent events, which reach the same consumers as messages.

use model::Nanos;
use script::host::{self, OpId, StampAt, StampPlace, Value, Wake};
use wire::sse::{Event, Message, Signal};

use super::Listener;
use crate::filter::Filter;
use crate::socket::{Waiting, Wanted};

impl Listener {
    fn of_stream() -> Self {
        let mut listener = Self::new(None, &[]);
        listener.state.purpose = crate::events::STREAM.into();
        listener.state.followed.receives.clear();
        let place = StampPlace {
            at: Some(StampAt::Pointer("/text".to_owned())),
            event: Some("post".to_owned()),
            ..StampPlace::default()
        };
        listener.looks(listener.channel, place);
        listener
    }

    fn streams(&mut self, name: &str, data: &str) {
        let (mut arrival, _) = self.arrival();
        let id = "1";
        let message = Signal::Event(Event::Message(Message { name, data, id }));
        crate::events::streamed(&mut arrival, message);
    }

    fn awaits_event(&mut self, op: u32, event: Option<&str>) {
        self.state.waiting.push_back(Waiting {
            op: OpId(op),
            until: Nanos::MAX,
            limit: Nanos::MAX,
            wanted: Wanted::Fitting {
                event: event.map(str::to_owned),
                filter: Filter::new(vec![]).unwrap(),
                named: event.is_some(),
            },
            round_trip: None,
            carries: Vec::new(),
            in_array: false,
        });
    }

    /// The events that were passed to the script, each with its operation or, for a handler, 0.
    fn passed(&self) -> Vec<(u32, &str)> {
        let passed = |wake| match wake {
            &Wake::Done {
                op,
                result: Ok(Value::Message(host::Message::Event(ref event))),
            } => Some((op.0, event.data.as_str())),
            Wake::Message {
                message: host::Message::Event(event),
                ..
            } => Some((0, event.data.as_str())),
            _ => None,
        };
        self.wakes.iter().filter_map(passed).collect()
    }

    fn stored(&self) -> Vec<&str> {
        fn data(message: &host::Message) -> &str {
            match message {
                host::Message::Event(event) => &event.data,
                _ => "",
            }
        }
        self.state.inbox.messages().map(data).collect()
    }
}

fn post(stamp: &str) -> String {
    format!(r#"{{"text":"hello {stamp}"}}"#)
}

#[test]
fn a_stamp_counts_only_in_the_event_that_the_channel_names() {
    let mut listener = Listener::of_stream();
    let (named, other) = (post(&listener.sent()), post(&listener.sent()));
    listener.streams("post", &named);
    listener.streams("post", &named);
    listener.streams("message", &other);
    assert_eq!(listener.counts(), [(1, 1, 0)]);
    assert_eq!(listener.recorder.tallies[0].misplaced, 1);
    assert_eq!(listener.stored(), [other]);
    assert_eq!(listener.passed(), []);
}

#[test]
fn who_awaits_an_event_by_name_gets_that_one() {
    let mut listener = Listener::of_stream();
    listener.awaits_event(7, Some("end"));
    listener.awaits_event(8, None);
    listener.streams("begin", "first");
    listener.streams("more", "second");
    listener.streams("end", "third");
    assert_eq!(listener.passed(), [(8, "first"), (7, "third")]);
    assert_eq!(listener.stored(), ["second"]);
}

#[test]
fn who_names_a_followed_event_gets_it_too_and_others_do_not() {
    let mut listener = Listener::of_stream();
    listener.awaits_event(8, None);
    listener.awaits_event(7, Some("post"));
    let said = post(&listener.sent());
    listener.streams("post", &said);
    assert_eq!(listener.passed(), [(7, said.as_str())]);
    assert_eq!(listener.counts(), [(1, 0, 0)]);
}

#[test]
fn a_handler_gets_what_no_channel_follows() {
    let mut listener = Listener::of_stream();
    listener.state.listening = true;
    let said = post(&listener.sent());
    listener.streams("post", &said);
    listener.streams("note", "text");
    assert_eq!(listener.passed(), [(0, "text")]);
    assert_eq!(listener.stored(), [""; 0]);
}
