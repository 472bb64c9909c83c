//! A block of the document, which is consecutive content that one client wrote.

use std::sync::Arc;

use super::id::Id;
use super::reader::Reader;

/// Maximum number of UTF-16 units of text per block. It bounds the cost of splitting a block.
const CHUNK: usize = 1024;
/// As in Yjs, replaces each half of a surrogate pair that was split.
const HALF: char = char::REPLACEMENT_CHARACTER;

/// A run of text, values, or a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The id of the block's first element.
    pub(super) id: Id,
    /// Number of elements, at least 1.
    pub(super) len: u32,
    /// The left neighbour at the time of writing.
    pub(super) origin: Option<Id>,
    /// The right neighbour at the time of writing.
    pub(super) right_origin: Option<Id>,
    /// The parent. `None` if it is the same as the neighbours' parent.
    pub(super) parent: Option<Box<Parent>>,
    pub(super) content: Content,
}

/// The parent of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) of: Holder,
    /// The key, if the parent is a map.
    pub(super) key: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A type at the top level of the document, identified by name.
    Root(Arc<str>),
    /// A type that is itself a block of the document.
    Type(Id),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    /// Deleted content.
    Deleted,
    /// Deleted content whose parent was deleted too.
    Garbage,
    /// Any other content, with its kind and its encoding as received.
    Other(u8, Box<[u8]>),
}

/// Kinds of `Content::Other` that need special treatment.
pub(super) const VALUES: u8 = 8;
pub(super) const TYPE: u8 = 7;

impl Block {
    pub(super) fn last(&self) -> Id {
        self.id.plus(self.len - 1)
    }

    pub(super) fn end(&self) -> u32 {
        self.id.clock + self.len
    }

    pub(super) fn is_deleted(&self) -> bool {
        matches!(self.content, Content::Deleted | Content::Garbage)
    }

    pub(super) fn is_type(&self) -> bool {
        matches!(self.content, Content::Other(TYPE, _))
    }

    /// Size of the text in bytes.
    pub(super) fn text_len(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            _ => 0,
        }
    }

    /// Splits the block at `at` and returns the second part. `at` must lie inside of the block.
    pub(super) fn split_off(&mut self, at: u32) -> Self {
        let content = match &mut self.content {
            Content::Text(text) => Content::Text(split_text(text, at as usize)),
            Content::Other(VALUES, values) => {
                let mut reader = Reader(values);
                // These values were already parsed when the update was read, so parsing cannot fail.
                let head = reader.raw(|reader| reader.values(at as usize));
                let head = head.unwrap_or_default().into();
                let tail = reader.0.into();
                *values = head;
                Content::Other(VALUES, tail)
            }
            Content::Garbage => Content::Garbage,
            // Other content has a length of 1 and is never split.
            Content::Deleted | Content::Other(..) => Content::Deleted,
        };
        let tail = Self {
            id: self.id.plus(at),
            len: self.len - at,
            origin: Some(self.id.plus(at - 1)),
            right_origin: self.right_origin,
            parent: None,
            content,
        };
        self.len = at;
        tail
    }

    /// Splits a long text into blocks of limited length.
    pub(super) fn chunks(mut self) -> Vec<Self> {
        let Content::Text(text) = &mut self.content else {
            return vec![self];
        };
        if self.len as usize <= CHUNK {
            return vec![self];
        }
        let text = std::mem::take(text);
        let mut blocks: Vec<Self> = Vec::new();
        for (piece, len) in pieces(&text) {
            let before = blocks.last();
            let block = Self {
                id: before.map_or(self.id, |before| before.id.plus(before.len)),
                len,
                origin: before.map_or(self.origin, |before| Some(before.last())),
                right_origin: self.right_origin,
                parent: if before.is_none() {
                    self.parent.take()
                } else {
                    None
                },
                content: Content::Text(piece.to_owned()),
            };
            blocks.push(block);
        }
        blocks
    }

    /// Appends `next` if it directly follows and both can form one block. Returns whether it was appended.
    pub(super) fn absorb(&mut self, next: &Self) -> bool {
        let follows = self.id.client == next.id.client && self.end() == next.id.clock;
        let both_text = match (&mut self.content, &next.content) {
            (Content::Garbage, Content::Garbage) if follows => {
                self.len += next.len;
                return true;
            }
            (Content::Text(_), Content::Text(_)) => (self.len + next.len) as usize <= CHUNK,
            (Content::Deleted, Content::Deleted) => true,
            _ => false,
        };
        let neighbours = next.origin == Some(self.last()) && next.right_origin == self.right_origin;
        if !(follows && both_text && neighbours) {
            return false;
        }
        if let (Content::Text(text), Content::Text(more)) = (&mut self.content, &next.content) {
            text.push_str(more);
        }
        self.len += next.len;
        true
    }
}

/// Number of UTF-16 units of a text, each of which takes one clock value.
pub(super) fn units(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char::len_utf16).sum()
}

/// Splits a text after `at` UTF-16 units and returns the second part.
fn split_text(text: &mut String, at: usize) -> String {
    if text.is_ascii() {
        return text.split_off(at);
    }
    let mut before = 0;
    for (byte, letter) in text.char_indices() {
        if before == at {
            return text.split_off(byte);
        }
        before += letter.len_utf16();
        if before > at {
            let tail = text.split_off(byte);
            text.push(HALF);
            return format!("{HALF}{}", &tail[letter.len_utf8()..]);
        }
    }
    String::new()
}

/// Splits the text into pieces of at most `CHUNK` units. Returns each piece with its number of units.
fn pieces(text: &str) -> Vec<(&str, u32)> {
    let (mut pieces, mut from, mut len) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        if len as usize + letter.len_utf16() > CHUNK {
            pieces.push((&text[from..at], len));
            (from, len) = (at, 0);
        }
        len += if letter.len_utf16() == 2 { 2 } else { 1 };
    }
    pieces.push((&text[from..], len));
    pieces
}
