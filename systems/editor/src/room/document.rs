use std::fmt;

use yrs::updates::decoder::Decode;
use yrs::{Doc, GetString, ReadTxn, StateVector, Text, TextRef, Transact, Update};

use super::difference::{hunks, one};
use crate::store::Log;

/// The name of the text in the document, for every Yjs client.
const TEXT: &str = "code";

/// Not an update of Yjs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an update of Yjs")]
pub(crate) struct Malformed;

/// The text of a room, as a CRDT and as it reads.
pub(crate) struct Document {
    doc: Doc,
    code: TextRef,
    /// How it reads; `None` when an update came since somebody asked.
    text: Option<String>,
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
        }
    }
}

impl Document {
    /// How it reads.
    pub(crate) fn text(&mut self) -> &str {
        let Self { doc, code, text } = self;
        text.get_or_insert_with(|| code.get_string(&doc.transact()))
    }

    /// Bytes of the text, about.
    pub(crate) fn len(&self) -> usize {
        match &self.text {
            Some(text) => text.len(),
            None => self.code.len(&self.doc.transact()) as usize,
        }
    }

    /// Makes it read like `new`; the update that does the same elsewhere, if anything changed. `finely`
    /// looks for what stayed between two changes, for the sake of those who have a caret there.
    pub(crate) fn write(&mut self, new: &str, finely: bool) -> Option<Vec<u8>> {
        let old = self.text();
        let places = if finely {
            hunks(old, new)
        } else {
            one(old, new).into_iter().collect()
        };
        if places.is_empty() {
            return None;
        }
        let mut transaction = self.doc.transact_mut();
        // From the end, so that the places before are still where they were.
        for hunk in places.iter().rev() {
            let (at, remove) = (position(hunk.at), position(hunk.remove));
            // Behind what is removed: pieces that were removed one after the other become one.
            if !hunk.insert.is_empty() {
                self.code.insert(&mut transaction, at + remove, hunk.insert);
            }
            if remove > 0 {
                self.code.remove_range(&mut transaction, at, remove);
            }
        }
        let update = transaction.encode_update_v1();
        drop(transaction);
        match &mut self.text {
            Some(text) => new.clone_into(text),
            none => *none = Some(new.to_owned()),
        }
        Some(update)
    }

    /// Takes an update in.
    pub(crate) fn apply(&mut self, update: &[u8]) -> Result<(), Malformed> {
        let update = Update::decode_v1(update).map_err(|_| Malformed)?;
        self.doc
            .transact_mut()
            .apply_update(update)
            .map_err(|_| Malformed)?;
        self.text = None;
        Ok(())
    }

    /// What one who knows `known` lacks.
    pub(crate) fn since(&self, known: &StateVector) -> Vec<u8> {
        self.doc.transact().encode_diff_v1(known)
    }

    /// What is known here.
    pub(crate) fn known(&self) -> StateVector {
        self.doc.transact().state_vector()
    }
}

/// All updates of a room's rows as one row.
pub(crate) fn merge_rows(rows: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut document = Document::default();
    for update in rows.iter().flat_map(|row| Log::updates(row)) {
        document.apply(update).ok()?;
    }
    Some(Log::row(&document.since(&StateVector::default())))
}

/// Documents are far smaller than 4 GiB: their size is limited.
fn position(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
