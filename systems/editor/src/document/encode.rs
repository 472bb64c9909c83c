//! Encodes Yjs updates (encoding version 1).

use std::borrow::Cow;

use super::block::{Block, Content, Holder};
use super::id::Id;
use super::items::Items;
use super::ranges::Ranges;
use super::update::{DELETED, GARBAGE, HAS_KEY, HAS_ORIGIN, HAS_RIGHT_ORIGIN, Queue, SKIP, TEXT};

/// Encodes the blocks that a client with the clocks `known` lacks, and the blocks that wait for predecessors. Also
/// encodes all deletions, because a state vector does not cover them.
pub(super) fn since(
    items: &Items,
    waiting: &Queue,
    deleted: &Ranges,
    known: impl Fn(u64) -> u32,
) -> Vec<u8> {
    let mut sections = Sections::default();
    for (client, written) in items.clients() {
        let from = known(client).min(written.end);
        let lacks = from < written.end;
        let blocks = lacks.then(|| items.blocks_of(written, from));
        let blocks = blocks.into_iter().flatten();
        let waits = waiting.get(&client).into_iter().flatten();
        sections.write(client, lacks.then_some(from), blocks.chain(waits));
    }
    for (client, waits) in waiting {
        if items.end(*client) == 0 {
            sections.write(*client, None, waits);
        }
    }
    let mut bytes = Vec::with_capacity(sections.bytes.len() + 16);
    number(&mut bytes, sections.count);
    bytes.extend(sections.bytes);
    write_ranges(&mut bytes, deleted);
    bytes
}

/// The sections of an update, each with the blocks of one client.
#[derive(Default)]
struct Sections {
    count: u64,
    bytes: Vec<u8>,
    /// The blocks of the current section. Their number comes before them.
    blocks: Vec<u8>,
}

impl Sections {
    /// Encodes the blocks of one client, starting at a clock or, without one, at the first block. Each block starts at the
    /// clock where the previous block ended. Gaps are encoded as skips.
    fn write<'a>(
        &mut self,
        client: u64,
        from: Option<u32>,
        blocks: impl IntoIterator<Item = &'a Block>,
    ) {
        let mut blocks = blocks.into_iter().peekable();
        let Some(first) = blocks.peek() else { return };
        let from = from.unwrap_or(first.id.clock);
        let (mut count, mut clock) = (0, from);
        self.blocks.clear();
        for block in blocks {
            if block.end() <= clock {
                continue;
            }
            let mut block = Cow::Borrowed(block);
            if block.id.clock < clock {
                let offset = clock - block.id.clock;
                block = Cow::Owned(block.into_owned().split_off(offset));
            }
            if block.id.clock > clock {
                self.blocks.push(SKIP);
                number(&mut self.blocks, u64::from(block.id.clock - clock));
                count += 1;
            }
            write_block(&mut self.blocks, &block);
            count += 1;
            clock = block.end();
        }
        self.count += 1;
        number(&mut self.bytes, count);
        number(&mut self.bytes, client);
        number(&mut self.bytes, u64::from(from));
        self.bytes.extend(&self.blocks);
    }
}

fn write_block(bytes: &mut Vec<u8>, block: &Block) {
    let kind = match &block.content {
        Content::Garbage => {
            bytes.push(GARBAGE);
            return number(bytes, u64::from(block.len));
        }
        Content::Deleted => DELETED,
        Content::Text(_) => TEXT,
        Content::Other(kind, _) => *kind,
    };
    let parent = block.parent.as_deref();
    let parent = parent.filter(|_| block.origin.is_none() && block.right_origin.is_none());
    let key = parent.and_then(|parent| parent.key.as_deref());
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    bytes.push(
        kind | flag(block.origin.is_some(), HAS_ORIGIN)
            | flag(block.right_origin.is_some(), HAS_RIGHT_ORIGIN)
            | flag(key.is_some(), HAS_KEY),
    );
    for id in [block.origin, block.right_origin].into_iter().flatten() {
        write_id(bytes, id);
    }
    match parent.map(|parent| &parent.of) {
        Some(Holder::Root(name)) => {
            bytes.push(1);
            string(bytes, name);
        }
        Some(Holder::Type(id)) => {
            bytes.push(0);
            write_id(bytes, *id);
        }
        None => {}
    }
    if let Some(key) = key {
        string(bytes, key);
    }
    match &block.content {
        Content::Text(text) => string(bytes, text),
        Content::Other(super::block::VALUES, values) => {
            number(bytes, u64::from(block.len));
            bytes.extend(values);
        }
        Content::Other(_, content) => bytes.extend(content),
        Content::Deleted | Content::Garbage => number(bytes, u64::from(block.len)),
    }
}

/// All deletions of known blocks.
pub(super) fn deleted(items: &Items) -> Ranges {
    let mut deleted = Ranges::default();
    for (client, written) in items.clients() {
        let gone = items
            .blocks_of(written, 0)
            .filter(|block| block.is_deleted());
        for block in gone {
            deleted.push(client, block.id.clock..block.end());
        }
    }
    deleted
}

fn write_ranges(bytes: &mut Vec<u8>, ranges: &Ranges) {
    number(bytes, ranges.clients().len() as u64);
    for (client, ranges) in ranges.clients() {
        number(bytes, client);
        number(bytes, ranges.len() as u64);
        for range in ranges {
            number(bytes, u64::from(range.start));
            number(bytes, u64::from(range.end - range.start));
        }
    }
}

fn write_id(bytes: &mut Vec<u8>, id: Id) {
    number(bytes, id.client);
    number(bytes, u64::from(id.clock));
}

fn string(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

/// Encodes a variable-length integer with seven bits per byte, least significant bits first.
fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}
