//! Finds stamps at places where their channel does not look. Such a stamp is a mistake in the script, and must not
//! count against the target.

use std::collections::hash_map::Entry;

use delivery::{Garbled, Stamp, objects_in_array, stamps_from};
use record::Mismatch;

use super::Receipts;
use crate::place::Place;
use crate::socket::{Came, Receiving, Sight};

/// Maximum number of messages without a stamp that are searched on one socket. Then the search stops, because it costs
/// time for every message.
pub(crate) const LOOKS: u16 = 1000;

impl Receipts<'_> {
    /// Searches a message that no channel consumed. `first` returns the position of the message's first stamp.
    pub(super) fn misplaced(
        &mut self,
        came: Came<'_>,
        first: impl FnOnce() -> Option<usize>,
        (receives, searched): (&[Receiving], &mut u16),
    ) {
        if *searched >= LOOKS {
            return;
        }
        let Some(first) = first() else {
            *searched += 1;
            return;
        };
        let Some(group) = &mut self.group else {
            return;
        };
        let mut noted = Vec::new();
        for stamp in stamps_from(came.bytes, Some(first)).flatten() {
            let of_channel = |one: &&Receiving| stamp.channel == one.channel.0;
            let Some(receiving) = receives.iter().find(of_channel) else {
                continue;
            };
            // A snapshot restates earlier messages, so it may contain stamps at any place.
            if !group.ledger.is_own(&stamp) || receiving.sight.says_again(came) {
                continue;
            }
            let tallies = &mut self.recorder.tallies;
            let counts = group.ledger.misplaced(&stamp, self.member, tallies);
            // A message may contain thousands of stamps, so it is compared once for each channel.
            if counts && !noted.contains(&receiving.tally) {
                noted.push(receiving.tally);
                let example = self.recorder.channels.mismatches.entry(receiving.tally);
                note(example, (came, &stamp, first), &receiving.sight);
            }
        }
    }
}

/// Stores how the message with this stamp, whose first stamp begins at `first`, differs from what the channel looks
/// for. The first difference is stored, until a message shows that the server packs messages into arrays.
pub(crate) fn note(
    example: Entry<'_, usize, Mismatch>,
    (came, stamp, first): (Came<'_>, &Stamp, usize),
    sight: &Sight,
) {
    match example {
        Entry::Occupied(mut known) => {
            if *known.get() != Mismatch::Array && is_in_array(came, stamp, sight) {
                known.insert(Mismatch::Array);
            }
        }
        Entry::Vacant(none) => {
            none.insert(mismatch(came, stamp, first, sight));
        }
    }
}

/// Whether the message is an array of objects, and the channel of this stamp would find a stamp of its own if each
/// object were a message.
fn is_in_array(came: Came<'_>, stamp: &Stamp, sight: &Sight) -> bool {
    let mut objects = objects_in_array(came.bytes).into_iter().flatten();
    objects.any(|object| {
        sight.reads(came.part(object), |found| {
            found.is_ok_and(|found| {
                let of = |stamp: &Stamp| (stamp.run, stamp.group, stamp.channel);
                of(&found) == of(stamp)
            })
        })
    })
}

/// Describes how the message differs from what the channel looks for.
fn mismatch(came: Came<'_>, stamp: &Stamp, first: usize, sight: &Sight) -> Mismatch {
    if let Some((wanted, came)) = sight.other_event(came) {
        return Mismatch::Event { wanted, came };
    }
    if is_in_array(came, stamp, sight) {
        return Mismatch::Array;
    }
    let stands = |found: Result<Stamp, Garbled>| found.as_ref() == Ok(stamp);
    let mut looks_there = false;
    let begins = || Some(first);
    sight
        .at
        .each_stamp(came.bytes, begins, |found| looks_there |= stands(found));
    match sight.only.first_that_differs(came.bytes) {
        Some((at, wanted, came)) if looks_there => Mismatch::Value { at, wanted, came },
        _ => Mismatch::Place {
            looks: looks_at(&sight.at),
            stands: stands_at(came.bytes, stamp, first),
        },
    }
}

fn looks_at(place: &Place) -> String {
    match place {
        Place::Anywhere => String::new(),
        Place::Value(at) => at.to_string(),
        Place::Byte(at) => at.to_string(),
    }
}

/// The JSON pointer to the string that contains the stamp or, if there is none, the byte offset of the stamp.
fn stands_at(message: &[u8], stamp: &Stamp, first: usize) -> String {
    let text = stamp.encode();
    // An event may have several arguments, of which only the first is searched.
    let mut values = serde_json::Deserializer::from_slice(message).into_iter();
    let path = values.next().and_then(|value| path_to(&value.ok()?, &text));
    path.unwrap_or_else(|| first.to_string())
}

fn path_to(value: &serde_json::Value, stamp: &str) -> Option<String> {
    use serde_json::Value;
    let below = |key: String, value: &Value| Some(format!("/{key}{}", path_to(value, stamp)?));
    match value {
        Value::String(text) => text.contains(stamp).then(String::new),
        Value::Array(list) => {
            let mut each = list.iter().enumerate();
            each.find_map(|(at, value)| below(at.to_string(), value))
        }
        Value::Object(map) => {
            let escaped = |key: &String| key.replace('~', "~0").replace('/', "~1");
            map.iter()
                .find_map(|(key, value)| below(escaped(key), value))
        }
        _ => None,
    }
}
