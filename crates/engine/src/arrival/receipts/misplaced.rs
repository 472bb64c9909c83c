//! Finds stamps at places where their channel does not look. Such a stamp is a mistake in the script, and must not
//! count against the target.

use std::collections::hash_map::Entry;

use delivery::{
    Garbled, RECORD_SEPARATOR, Stamp, objects_in_array, separator_of_cut_documents, stamps_from,
};
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
        let (ledger, member) = (&mut group.ledger, self.member);
        let mut is_known = |stamp: &Stamp| {
            stamp.sender != member && ledger.is_own(stamp) && ledger.has_received(stamp, member)
        };
        let mut search = Search::new(came, first);
        if search.stamps().any(|stamp| is_known(&stamp)) {
            return;
        }
        for stamp in search.stamps() {
            let of_channel = |one: &&Receiving| stamp.channel == one.channel.0;
            let Some(receiving) = receives.iter().find(of_channel) else {
                continue;
            };
            let (tally, sight) = (receiving.tally, &*receiving.sight);
            if !group.ledger.is_own(&stamp) {
                continue;
            }
            let tallies = &mut self.recorder.tallies;
            if search.is_snapshot(tally, sight) {
                group.ledger.in_snapshot(&stamp, member, tallies);
            } else if group.ledger.misplaced(&stamp, member, tallies) {
                let mismatches = &mut self.recorder.channels.mismatches;
                search.note(mismatches.entry(tally), &stamp, (tally, sight));
            }
        }
    }
}

/// The search of a message that no channel consumed. The message may contain thousands of stamps, so what depends on
/// the whole message is found once for each channel.
///
/// The caller first compares the stamps with what the member has received: a message with a stamp that the member
/// already has, such as a history, restates earlier messages, and its other stamps excuse no loss.
pub(crate) struct Search<'m> {
    came: Came<'m>,
    /// The position of the message's first stamp.
    first: usize,
    /// For the tally of each channel that was compared: whether the message is a snapshot.
    snapshots: Vec<(usize, bool)>,
    /// The tallies whose difference is noted.
    noted: Vec<usize>,
}

impl<'m> Search<'m> {
    pub(crate) fn new(came: Came<'m>, first: usize) -> Self {
        let (snapshots, noted) = (Vec::new(), Vec::new());
        Self {
            came,
            first,
            snapshots,
            noted,
        }
    }

    pub(crate) fn stamps(&self) -> impl Iterator<Item = Stamp> + use<'m> {
        stamps_from(self.came.bytes, Some(self.first)).flatten()
    }

    /// Whether the message is a snapshot for this channel. A snapshot may contain stamps at any place.
    pub(crate) fn is_snapshot(&mut self, tally: usize, sight: &Sight) -> bool {
        let known = self.snapshots.iter().find(|(of, _)| *of == tally);
        if let Some((_, known)) = known {
            return *known;
        }
        let is_snapshot = sight.says_again(self.came);
        self.snapshots.push((tally, is_snapshot));
        is_snapshot
    }

    /// Stores how the message differs from what the channel of this stamp looks for. The first difference is stored,
    /// until a message shows that the server packs messages into arrays, or cuts them.
    pub(crate) fn note(
        &mut self,
        example: Entry<'_, usize, Mismatch>,
        stamp: &Stamp,
        (tally, sight): (usize, &Sight),
    ) {
        if self.noted.contains(&tally) {
            return;
        }
        self.noted.push(tally);
        match example {
            Entry::Occupied(mut known) => {
                if !known.get().is_packing()
                    && let Some(packing) = packing(self.came, stamp, sight)
                {
                    known.insert(packing);
                }
            }
            Entry::Vacant(none) => {
                none.insert(mismatch(self.came, stamp, self.first, sight));
            }
        }
    }
}

/// How the server packs messages, if the socket does not read them for that reason.
fn packing(came: Came<'_>, stamp: &Stamp, sight: &Sight) -> Option<Mismatch> {
    if is_in_array(came, stamp, sight) {
        return Some(Mismatch::Array);
    }
    let separator = separator_of_cut_documents(came.bytes)?;
    let documents = match separator {
        RECORD_SEPARATOR => "0x1e",
        _ => "newline",
    };
    Some(Mismatch::Cut {
        documents: documents.to_owned(),
    })
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
    if let Some(packing) = packing(came, stamp, sight) {
        return packing;
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
