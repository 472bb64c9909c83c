//! One block of the document: what one client wrote in one go.

use std::sync::Arc;

use super::reader::Reader;

/// UTF-16 units of a text that are kept in one block: what it costs to cut one anywhere is bounded by this.
const CHUNK: usize = 1024;
/// What takes the place of each half of a letter that was cut in two, as in Yjs.
const HALF: char = char::REPLACEMENT_CHARACTER;

/// One letter, value or type, by who wrote it and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) client: u64,
    pub(super) clock: u32,
}

/// Letters, values or a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Of its first.
    pub(super) id: Id,
    /// How many; 1 at least.
    pub(super) len: u32,
    /// What was on its left when it was written.
    pub(super) origin: Option<Id>,
    /// What was on its right when it was written.
    pub(super) right_origin: Option<Id>,
    /// What it is in; `None` when that is said by its neighbours.
    pub(super) parent: Option<Box<Parent>>,
    pub(super) content: Content,
}

/// What a block is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) of: Holder,
    /// The key, where it is in a map.
    pub(super) key: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A type of the document, by its name.
    Root(Arc<str>),
    /// A type that is in the document as a block.
    Type(Id),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    /// What was there is deleted.
    Deleted,
    /// The same; and what it was in is, too.
    Garbage,
    /// Anything else is kept as it came: its kind, and how it is encoded.
    Other(u8, Box<[u8]>),
}

/// The kinds of content that are told from others.
pub(super) const VALUES: u8 = 8;
pub(super) const TYPE: u8 = 7;

impl Id {
    /// The one that is `distance` behind it.
    pub(super) fn plus(self, distance: u32) -> Self {
        Self {
            client: self.client,
            clock: self.clock + distance,
        }
    }
}

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

    /// Bytes of text.
    pub(super) fn text_len(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            _ => 0,
        }
    }

    /// Takes off everything from `at` on, which is inside of it.
    pub(super) fn split_off(&mut self, at: u32) -> Self {
        let content = match &mut self.content {
            Content::Text(text) => Content::Text(split_text(text, at as usize)),
            Content::Other(VALUES, values) => {
                let mut reader = Reader(values);
                // They were read before, so that they can be read again.
                let head = reader.raw(|reader| reader.values(at as usize));
                let head = head.unwrap_or_default().into();
                let tail = reader.0.into();
                *values = head;
                Content::Other(VALUES, tail)
            }
            Content::Garbage => Content::Garbage,
            // Everything else has one clock, and is never cut.
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

    /// Cuts a long text into blocks of bounded length.
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

    /// Takes in what the same client wrote right behind it, if they can be one block.
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

/// UTF-16 units of a text: how many clocks it takes.
pub(super) fn units(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char::len_utf16).sum()
}

/// Takes off what is behind `at` units.
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

/// The text in pieces of about `CHUNK` units each, with their units.
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
