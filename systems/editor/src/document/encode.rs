//! Encodes Yjs updates (encoding version 1).

use std::borrow::Cow;

use super::block::{Block, Content, Holder};
use super::id::Id;
use super::items::Items;
use super::ranges::Ranges;
use super::update::{DELETED, GARBAGE, HAS_KEY, HAS_ORIGIN, HAS_RIGHT_ORIGIN, Queue, SKIP, TEXT};

/// The blocks of one client in an update, starting at a given clock.
struct Section<'a> {
    client: u64,
    clock: u32,
    blocks: Vec<Cow<'a, Block>>,
}

/// Encodes the blocks that a client with the clocks `known` lacks, and the blocks that wait for predecessors. Also
/// encodes all deletions, because a state vector does not cover them.
pub(super) fn since(
    items: &Items,
    waiting: &Queue,
    deleted: &Ranges,
    known: impl Fn(u64) -> u32,
) -> Vec<u8> {
    let mut sections = Vec::new();
    let waits = waiting.keys().filter(|client| items.end(**client) == 0);
    let waits = waits.map(|client| (*client, 0));
    for (client, end) in items.clients().into_iter().chain(waits) {
        let from = known(client).min(end);
        let mut blocks: Vec<Cow<'_, Block>> = Vec::new();
        if from < end {
            blocks.extend(items.blocks_of(client, from).map(Cow::Borrowed));
        }
        blocks.extend(
            waiting
                .get(&client)
                .into_iter()
                .flatten()
                .map(Cow::Borrowed),
        );
        if let Some(first) = blocks.first() {
            let clock = if from < end { from } else { first.id.clock };
            sections.push(Section {
                client,
                clock,
                blocks,
            });
        }
    }
    let mut bytes = Vec::new();
    number(&mut bytes, sections.len() as u64);
    for section in sections {
        write_section(&mut bytes, section);
    }
    write_ranges(&mut bytes, deleted);
    bytes
}

/// Encodes the blocks of one client. Each block starts at the clock where the previous block ended. Gaps are encoded as
/// skips.
fn write_section(bytes: &mut Vec<u8>, section: Section<'_>) {
    let (mut written, mut count, mut clock) = (Vec::new(), 0, section.clock);
    for mut block in section.blocks {
        if block.end() <= clock {
            continue;
        }
        if block.id.clock < clock {
            let offset = clock - block.id.clock;
            block = Cow::Owned(block.into_owned().split_off(offset));
        }
        if block.id.clock > clock {
            written.push(SKIP);
            number(&mut written, u64::from(block.id.clock - clock));
            count += 1;
        }
        write_block(&mut written, &block);
        count += 1;
        clock = block.end();
    }
    number(bytes, count);
    number(bytes, section.client);
    number(bytes, u64::from(section.clock));
    bytes.extend(written);
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
    for (client, _) in items.clients() {
        let gone = items
            .blocks_of(client, 0)
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
