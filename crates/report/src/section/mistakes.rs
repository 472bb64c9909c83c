//! Mistakes of the script that make deliveries look lost or misdelivered. The channel looks in the wrong place, expects
//! own copies that the target does not return, or does not expect own copies that the target returns.

use std::collections::{BTreeMap, BTreeSet};

use format::{count, plural, shorten};
use model::MisdeliveryReason;
use record::{Deliveries, Mismatch, Run};

use super::label;

/// Maximum length of a shown value, in characters.
const VALUE: usize = 40;

/// Returns one remark per channel, for the first level that shows the mistake.
pub(crate) fn remarks(run: &Run) -> Vec<String> {
    let mut told: Vec<&String> = Vec::new();
    let mut remarks = Vec::new();
    for level in &run.levels {
        for (name, one) in &level.measured.deliveries {
            let Some(remark) = remark(one).filter(|_| !told.contains(&name)) else {
                continue;
            };
            told.push(name);
            remarks.push(format!("{name} at {}: {remark}", label(&level.load)));
        }
    }
    remarks.extend(without_deliveries(run));
    remarks
}

/// Returns one remark for each channel from which no delivery was expected in any level.
fn without_deliveries(run: &Run) -> Vec<String> {
    let levels = || run.levels.iter().map(|level| &level.measured.deliveries);
    let names: BTreeSet<&String> = levels().flat_map(BTreeMap::keys).collect();
    let remark = |name: &String| {
        let of_name = || levels().filter_map(|channels| channels.get(name));
        if of_name().any(|one| one.expected > 0) {
            return None;
        }
        Some(match of_name().map(|one| one.messages).sum::<u64>() {
            0 => format!(
                "{name}: no message was stamped in the measured time: send text from `stamp`"
            ),
            messages => format!(
                "{name}: nobody listened when {} {} sent: call `receives` before the first message. In a group of one, \
                 `to: \"others\"` is nobody",
                plural(messages, "message"),
                if messages == 1 { "was" } else { "were" }
            ),
        })
    };
    names.into_iter().filter_map(remark).collect()
}

fn remark(one: &Deliveries) -> Option<String> {
    if one.looks_elsewhere() > 0 {
        return Some(elsewhere(one));
    }
    if one.only_in_snapshots() > 0 {
        return Some(format!(
            "{} arrived, but only in messages that `except` marks as snapshots",
            plural(one.in_snapshots, "stamp")
        ));
    }
    let own = one.has_no_echo();
    if own > 0 && own == one.lost_count() {
        return Some(format!(
            "only the senders' own copies are missing ({}): did you mean `to: \"others\"`?",
            count(own)
        ));
    }
    let returned = one.has_echo();
    if returned > 0 {
        return Some(format!(
            "only the senders' own copies are misdelivered ({}): did you mean `to: \"everyone\"`?",
            count(returned)
        ));
    }
    if one.received() == 0 && one.misplaced.stamps == 0 && one.lost_count() > 0 {
        let garbled = one.misdelivered.get(&MisdeliveryReason::Garbled);
        if let Some(garbled) = garbled {
            let garbled = plural(*garbled, "garbled stamp");
            return Some(format!(
                "{garbled} arrived and no other: the script or the target changed the text of the messages"
            ));
        }
        return Some(format!(
            "none of {} reached a receiver, although headcount searched whole messages: check that the target accepted \
             the subscription",
            plural(one.messages, "stamped message")
        ));
    }
    None
}

fn elsewhere(one: &Deliveries) -> String {
    let stamps = format!("{} arrived", plural(one.misplaced.stamps, "stamp"));
    let short = |text: &str| shorten(text, VALUE);
    match &one.misplaced.first {
        Some(Mismatch::Place { looks, stands }) => format!(
            "{stamps}, {} at {}; the first message has its stamp at {}",
            few(one),
            place(looks),
            place(stands)
        ),
        Some(Mismatch::Value { at, wanted, came }) => {
            let came = came
                .as_deref()
                .map_or("nothing".to_owned(), |came| format!("`{}`", short(came)));
            format!(
                "{stamps}, {} in a message with `{}` at `{at}`, as `only` requires; the first message has {came} there",
                few(one),
                short(wanted)
            )
        }
        Some(Mismatch::Event { wanted, came }) => format!(
            "{stamps}, {} in the event `{}`; the first message is in `{}`",
            few(one),
            short(wanted),
            short(came)
        ),
        Some(Mismatch::Array) => format!(
            "{stamps} elsewhere than the channel looks, some in elements of an array: open the WebSocket with \
             `documents: \"array\"`; on other connections, follow the channel without `at` and `only`"
        ),
        Some(Mismatch::Cut { documents }) => format!(
            "{stamps} elsewhere than the channel looks, some in messages that begin or end within a document: open the \
             WebSocket with `documents: \"{documents}\"`"
        ),
        None => format!("{stamps} at a place where the channel does not look"),
    }
}

fn few(one: &Deliveries) -> String {
    match one.received() {
        0 => "but none".to_owned(),
        some => format!("but only {}", count(some)),
    }
}

/// Formats a JSON pointer, or a byte offset.
fn place(at: &str) -> String {
    if at.starts_with('/') {
        format!("`{at}`")
    } else {
        format!("byte {at}")
    }
}

#[cfg(test)]
mod tests {
    use record::{Level, Misplaced, OwnCopies};

    use super::*;

    fn said(one: Deliveries) -> Vec<String> {
        let mut level = Level::default();
        level.load.users = 20;
        level.measured.deliveries.insert("said".to_owned(), one);
        let run = Run {
            levels: vec![level.clone(), level],
            ..Run::default()
        };
        remarks(&run)
    }

    fn lost(number: u64) -> Deliveries {
        Deliveries {
            messages: 120,
            expected: 480,
            delivered: 480 - number,
            lost: [(model::LossReason::NeverSeen, number)].into(),
            ..Deliveries::default()
        }
    }

    fn misplaced(first: Mismatch) -> String {
        let mut one = lost(480);
        one.misplaced = Misplaced {
            stamps: 480,
            lost: 480,
            first: Some(first),
        };
        said(one).join("\n")
    }

    #[test]
    fn a_channel_without_any_expected_delivery_is_told_why() {
        let of = |messages| {
            said(Deliveries {
                messages,
                ..Deliveries::default()
            })
        };
        assert_eq!(
            of(0),
            ["said: no message was stamped in the measured time: send text from `stamp`"]
        );
        let [one] = &of(24)[..] else {
            panic!("one remark for both levels");
        };
        assert!(
            one.starts_with("said: nobody listened when 48 messages were sent"),
            "{one}"
        );
        assert!(said(lost(0)).is_empty());
    }

    #[test]
    fn a_channel_that_looks_in_the_wrong_place_is_told_where_its_stamps_stand() {
        let place = |looks: &str, stands: &str| Mismatch::Place {
            looks: looks.to_owned(),
            stands: stands.to_owned(),
        };
        assert_eq!(
            misplaced(place("/txt", "/text")),
            "said at 20 users: 480 stamps arrived, but none at `/txt`; the first message has its stamp at `/text`"
        );
        assert!(
            misplaced(place("15", "16"))
                .ends_with("none at byte 15; the first message has its stamp at byte 16")
        );
        let only = Mismatch::Value {
            at: "/type".to_owned(),
            wanted: "\"sayd\"".to_owned(),
            came: Some("\"said\"".to_owned()),
        };
        let told = misplaced(only);
        assert!(
            told.ends_with(
                "none in a message with `\"sayd\"` at `/type`, as `only` requires; the first message has `\"said\"` there"
            ),
            "{told}"
        );
        let event = Mismatch::Event {
            wanted: "msg".to_owned(),
            came: "message".to_owned(),
        };
        assert!(
            misplaced(event)
                .ends_with("none in the event `msg`; the first message is in `message`")
        );
    }

    #[test]
    fn a_channel_whose_messages_come_in_arrays_is_told_how_to_split_them() {
        let told = misplaced(Mismatch::Array);
        let begin = "said at 20 users: 480 stamps arrived elsewhere than the channel looks, some in elements of \
                     an array: open the WebSocket with `documents: \"array\"`";
        assert!(told.starts_with(begin), "{told}");
        let mut one = lost(10);
        one.misplaced = Misplaced {
            stamps: 10,
            lost: 10,
            first: Some(Mismatch::Array),
        };
        assert_eq!(said(one).len(), 1, "even if most messages came alone");
    }

    #[test]
    fn documents_that_continue_in_other_messages_are_told_with_the_option_that_joins_them() {
        let told = misplaced(Mismatch::Cut {
            documents: "0x1e".to_owned(),
        });
        assert!(
            told.ends_with("within a document: open the WebSocket with `documents: \"0x1e\"`"),
            "{told}"
        );
    }

    #[test]
    fn stamps_that_are_only_in_snapshots_or_garbled_are_no_sign_of_a_silent_target() {
        let mut one = lost(480);
        one.in_snapshots = 480;
        let told = said(one.clone()).join("\n");
        assert!(
            told.ends_with(
                ": 480 stamps arrived, but only in messages that `except` marks as snapshots"
            ),
            "{told}"
        );
        one.in_snapshots = 479;
        one.misdelivered.insert(MisdeliveryReason::Garbled, 480);
        let told = said(one).join("\n");
        assert!(
            told.contains(": 480 garbled stamps arrived and no other"),
            "{told}"
        );
    }

    #[test]
    fn missing_own_copies_and_a_silent_target_are_told() {
        let mut one = lost(120);
        let own = OwnCopies {
            expected: 120,
            lost: 120,
            ..OwnCopies::default()
        };
        one.own_copies = own;
        let told = said(one).join("\n");
        assert!(
            told.contains("only the senders' own copies are missing (120)"),
            "{told}"
        );
        let told = said(lost(480)).join("\n");
        assert!(
            told.contains("none of 120 stamped messages reached a receiver"),
            "{told}"
        );
    }

    /// Returns the remarks about 120 messages to others. `own` of them returned, and `others` were misdelivered in
    /// another way.
    fn returned(own: u64, others: u64) -> Vec<String> {
        let mut one = lost(0);
        one.own_copies.unexpected = own;
        one.misdelivered = [
            (model::MisdeliveryReason::OutsideAudience, own),
            (model::MisdeliveryReason::AnotherGroup, others),
        ]
        .into();
        said(one)
    }

    #[test]
    fn own_copies_that_nobody_expected_are_told_unless_the_target_misdelivers() {
        let echo = "said at 20 users: only the senders' own copies are misdelivered (120): did you mean `to: \"everyone\"`?";
        assert_eq!(returned(120, 0), [echo]);
        assert_eq!(returned(120, 1), [""; 0], "the target misdelivers others");
        assert_eq!(returned(2, 0), [""; 0], "the target has returned a few");
    }

    #[test]
    fn losses_of_a_target_are_no_mistake() {
        assert_eq!(said(lost(0)), [""; 0]);
        assert_eq!(said(lost(100)), [""; 0]);
        let mut one = lost(10);
        one.misplaced.lost = 10;
        one.own_copies = OwnCopies {
            expected: 120,
            lost: 5,
            ..OwnCopies::default()
        };
        assert_eq!(said(one), [""; 0]);
    }
}
