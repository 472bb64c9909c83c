//! Tests which stamps at a wrong place count, and how their message is said to differ.

use delivery::{Stamp, stamps_from};
use record::Mismatch;

use super::super::MISPLACED_LOOKS;
use super::{Listener, frame, in_a_room, text};

/// A listener that looks for stamps at `/text`, in messages of type `said` only.
fn listener() -> Listener {
    Listener::new(Some(text()), &[("/type", "\"said\"")])
}

fn misplaced(listener: &Listener) -> u64 {
    listener.recorder.tallies[0].misplaced
}

#[test]
fn the_search_for_misplaced_stamps_ends_after_many_messages_without_a_stamp() {
    for (without, counted) in [(MISPLACED_LOOKS - 1, 1), (MISPLACED_LOOKS, 0)] {
        let mut listener = listener();
        for _ in 0..without {
            listener.hears(&frame("{}"));
        }
        let elsewhere = format!(r#"{{"type":"said","body":"{}"}}"#, listener.sent());
        listener.hears(&frame(&elsewhere));
        assert_eq!(misplaced(&listener), counted, "after {without} messages");
    }
}

#[test]
fn a_stamp_of_another_run_is_not_a_misplaced_one_of_this_run() {
    let mut listener = listener();
    let own = listener.sent();
    let read = stamps_from(own.as_bytes(), Some(0)).flatten().next();
    let own_stamp = read.unwrap();
    let other = Stamp {
        run: own_stamp.run + 1,
        ..own_stamp
    };
    listener.hears(&frame(&format!(r#"{{"body":"{}"}}"#, other.encode())));
    assert_eq!((misplaced(&listener), listener.mismatch()), (0, None));
    listener.hears(&frame(&format!(r#"{{"body":"{own}"}}"#)));
    assert_eq!(misplaced(&listener), 1);
}

#[test]
fn a_stamp_in_a_document_that_is_said_again_is_not_misplaced() {
    let mut listener = in_a_room();
    let stamp = listener.sent();
    for (mark, counted) in [(r#","document":true"#, 0), ("", 1)] {
        let event = format!(r#"["code-change",{{"text":"{stamp}"{mark}}}]"#);
        listener.hears_event(&event);
        assert_eq!(misplaced(&listener), counted, "{event}");
        assert_eq!(listener.recorder.tallies[0].in_snapshots, 1, "{event}");
    }
}

#[test]
fn a_stamp_counts_as_one_of_a_snapshot_until_it_is_delivered() {
    let mut listener = in_a_room();
    let stamp = listener.sent();
    let event = |mark: &str| format!(r#"["code-change",{{"code":"{stamp}"{mark}}}]"#);
    for (mark, counted) in [
        (r#","document":true"#, 1),
        ("", 1),
        (r#","document":true"#, 1),
    ] {
        listener.hears_event(&event(mark));
        assert_eq!(listener.recorder.tallies[0].in_snapshots, counted, "{mark}");
    }
}

#[test]
fn a_misplaced_stamp_of_a_message_outside_the_measured_time_is_no_example() {
    let mut listener = listener();
    let (now, tallies) = (listener.now, &mut listener.recorder.tallies);
    let ledger = &mut listener.group.ledger;
    let stamp = ledger.stamp(listener.channel, 0, now, tallies);
    ledger.send(0, now, now, false, tallies);
    listener.hears(&frame(&format!(r#"{{"body":"{}"}}"#, stamp.encode())));
    assert_eq!((misplaced(&listener), listener.mismatch()), (0, None));
}

#[test]
fn a_stamp_where_the_channel_looks_is_in_a_message_of_which_another_value_differs() {
    let mut listener = listener();
    let stamp = listener.sent();
    listener.hears(&frame(&format!(
        r#"{{"type":"was","text":"hello {stamp}"}}"#
    )));
    let value = Mismatch::Value {
        at: "/type".to_owned(),
        wanted: "\"said\"".to_owned(),
        came: Some("\"was\"".to_owned()),
    };
    assert_eq!(listener.mismatch(), Some(&value));
}

#[test]
fn the_place_of_a_stamp_explains_more_than_another_value_in_its_message() {
    let mut listener = listener();
    let stamp = listener.sent();
    listener.hears(&frame(&format!(
        r#"{{"type":"was","body":"hello {stamp}"}}"#
    )));
    let place = Mismatch::Place {
        looks: "/text".to_owned(),
        stands: "/body".to_owned(),
    };
    assert_eq!(listener.mismatch(), Some(&place));
}
