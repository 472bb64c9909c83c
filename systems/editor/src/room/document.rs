use std::fmt;

use yrs::updates::decoder::Decode;
use yrs::{Doc, GetString, ReadTxn, StateVector, Text, TextRef, Transact, Update};

use super::difference::{Hunk, hunks, one};
use super::stack::{NotDone, with_levels};
use super::update::{UpdateError, check};

/// The name of the text in the document, for every Yjs client.
const TEXT: &str = "code";

/// Shared types that a document may hold inside of others: the library's recursion into them gets a stack of its
/// own, which is bounded by this.
const NESTED_TYPES: usize = 50_000;

/// The text of a room, as a CRDT and as it reads.
pub(crate) struct Document {
    doc: Doc,
    code: TextRef,
    /// How it reads; `None` when an update came since somebody asked.
    text: Option<String>,
    /// Bytes that it has at most, encoded: what it had when that was last measured, and what came since.
    weight: usize,
    /// Bytes of updates since one came that lacks another before it.
    gap: usize,
    /// Shared types inside of others at most: those that were there when last counted, and what came since.
    nested: usize,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Document(..)")
    }
}

impl Default for Document {
    fn default() -> Self {
        let doc = Doc::new();
        let code = doc.get_or_insert_text(TEXT);
        Self {
            doc,
            code,
            text: Some(String::new()),
            weight: 0,
            gap: 0,
            nested: 0,
        }
    }
}

impl Document {
    /// How it reads.
    pub(crate) fn text(&mut self) -> &str {
        let Self {
            doc, code, text, ..
        } = self;
        text.get_or_insert_with(|| code.get_string(&doc.transact()))
    }

    /// Bytes of the text.
    fn len(&self) -> usize {
        self.code.len(&self.doc.transact()) as usize
    }

    /// Whether the text has `most` bytes at most when it has taken the update in, and the document twice
    /// as many, encoded: with what was deleted, what is not text, and what waits for an update before it.
    pub(crate) fn has_room_for(&mut self, update: &[u8], most: usize) -> Result<bool, UpdateError> {
        let text = self.len() + self.gap + update.len();
        if text <= most && self.weight + update.len() <= 2 * most {
            return Ok(true);
        }
        // That much may be in it, or not: it may delete as well. It is tried on a copy.
        let mut copy = Self::default();
        copy.apply(&self.whole())?;
        copy.apply(update)?;
        let weight = copy.whole().len();
        let fits = copy.len() <= most && weight <= 2 * most;
        if fits {
            self.weight = weight.saturating_sub(update.len());
        }
        Ok(fits)
    }

    /// Makes it read like `new`; the update that does the same elsewhere, if anything changed. `finely`
    /// looks for what stayed between two changes, for the sake of those who have a caret there.
    pub(crate) fn write(&mut self, new: &str, finely: bool) -> Result<Option<Vec<u8>>, NotDone> {
        let old = self.text();
        let places = if finely {
            hunks(old, new)
        } else {
            one(old, new).into_iter().collect()
        };
        if places.is_empty() {
            return Ok(None);
        }
        // What is removed may hold types as well.
        let update = with_levels(self.nested, || write(&self.doc, &self.code, &places))?;
        self.weight += update.len();
        match &mut self.text {
            Some(text) => new.clone_into(text),
            none => *none = Some(new.to_owned()),
        }
        Ok(Some(update))
    }

    /// Takes an update in. One that is refused leaves the document as it was.
    pub(crate) fn apply(&mut self, update: &[u8]) -> Result<(), UpdateError> {
        let types = check(update)?;
        self.count_types(types)?;
        let integrate = || integrate(&self.doc, update);
        with_levels(self.nested, integrate)??;
        self.text = None;
        self.weight += update.len();
        let gap = self.doc.transact().has_missing_updates();
        self.gap = if gap { self.gap + update.len() } else { 0 };
        Ok(())
    }

    /// Counts further types. Those that were deleted since are counted no more once there seem to be too many.
    fn count_types(&mut self, more: usize) -> Result<(), UpdateError> {
        if more > 0 && self.nested + more > NESTED_TYPES {
            self.nested = check(&self.whole())?;
            if self.nested + more > NESTED_TYPES {
                return Err(UpdateError::TooNested);
            }
        }
        self.nested += more;
        Ok(())
    }

    /// Whether something that came lacks an update before it.
    pub(crate) fn has_gap(&self) -> bool {
        self.gap > 0
    }

    /// What one who knows `known` lacks, and what waits here for an update before it.
    pub(crate) fn since(&self, known: &StateVector) -> Vec<u8> {
        self.doc.transact().encode_state_as_update_v1(known)
    }

    /// All of it.
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.since(&StateVector::default())
    }

    /// What is known here.
    pub(crate) fn known(&self) -> StateVector {
        self.doc.transact().state_vector()
    }
}

fn integrate(doc: &Doc, update: &[u8]) -> Result<(), UpdateError> {
    let update = Update::decode_v1(update).map_err(|_| UpdateError::Malformed)?;
    let applied = doc.transact_mut().apply_update(update);
    applied.map_err(|_| UpdateError::Malformed)
}

/// Writes the places into the text, from the end, so that those before are still where they were.
fn write(doc: &Doc, code: &TextRef, places: &[Hunk<'_>]) -> Vec<u8> {
    let mut transaction = doc.transact_mut();
    for hunk in places.iter().rev() {
        let (at, remove) = (position(hunk.at), position(hunk.remove));
        // Behind what is removed: pieces that were removed one after the other become one.
        if !hunk.insert.is_empty() {
            code.insert(&mut transaction, at + remove, hunk.insert);
        }
        if remove > 0 {
            code.remove_range(&mut transaction, at, remove);
        }
    }
    transaction.encode_update_v1()
}

/// Documents are far smaller than 4 GiB: their size is limited.
fn position(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
