//! Parses Yjs updates (encoding version 1) from untrusted sources. The use of stack and memory is at most proportional
//! to the input.

use std::collections::{BTreeMap, VecDeque};

use super::block::{Block, Content, Holder, Parent, TYPE, VALUES, units};
use super::error::UpdateError;
use super::id::Id;
use super::ranges::Ranges;
use super::reader::{MAX_CLOCK, Read, Reader};

pub(super) const GARBAGE: u8 = 0;
pub(super) const SKIP: u8 = 10;
pub(super) const DELETED: u8 = 1;
pub(super) const TEXT: u8 = 4;
pub(super) const HAS_ORIGIN: u8 = 0x80;
pub(super) const HAS_RIGHT_ORIGIN: u8 = 0x40;
pub(super) const HAS_KEY: u8 = 0x20;

/// Blocks keyed by client, oldest first.
pub(super) type Queue = BTreeMap<u64, VecDeque<Block>>;

/// The blocks and deletions of an update.
#[derive(Debug, Default)]
pub(super) struct Update {
    pub(super) blocks: Queue,
    pub(super) deleted: Ranges,
}

impl Update {
    /// Reads an update that may have any number of blocks.
    pub(super) fn read(bytes: &[u8]) -> Read<Self> {
        Self::read_at_most(bytes, usize::MAX)
    }

    /// Reads an update. Stops with an error if it has more than `most` blocks.
    pub(super) fn read_at_most(bytes: &[u8], most: usize) -> Read<Self> {
        let mut reader = Reader(bytes);
        let mut update = Self::default();
        let mut left = most;
        for _ in 0..reader.count()? {
            let count = reader.count()?;
            let client = reader.client()?;
            let clock = reader.clock()?;
            let blocks = update.blocks.entry(client).or_default();
            let before = blocks.len();
            read_blocks(
                &mut reader,
                count,
                Id { client, clock },
                blocks,
                before.saturating_add(left),
            )?;
            left -= blocks.len() - before;
            // The input may list a client twice.
            blocks.make_contiguous().sort_by_key(|block| block.id);
        }
        for _ in 0..reader.count()? {
            let client = reader.client()?;
            for _ in 0..reader.count()? {
                let start = reader.clock()?;
                let end = advance(start, reader.clock()?)?;
                update.deleted.push(client, start..end);
            }
        }
        update.deleted.merge();
        Ok(update)
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.values().map(VecDeque::len).sum()
    }

    /// Number of types.
    pub(super) fn types(&self) -> usize {
        let blocks = self.blocks.values().flatten();
        blocks.filter(|block| block.is_type()).count()
    }
}

fn read_blocks(
    reader: &mut Reader<'_>,
    count: usize,
    mut id: Id,
    blocks: &mut VecDeque<Block>,
    most: usize,
) -> Read<()> {
    for _ in 0..count {
        let info = reader.byte()?;
        if info == SKIP {
            id.clock = advance(id.clock, reader.clock()?)?;
            continue;
        }
        let block = read_block(reader, info, id)?;
        id.clock = advance(id.clock, block.len)?;
        blocks.extend(block.chunks());
        if blocks.len() > most {
            return Err(UpdateError::TooManyBlocks);
        }
    }
    Ok(())
}

fn read_block(reader: &mut Reader<'_>, info: u8, id: Id) -> Read<Block> {
    if info == GARBAGE {
        let len = at_least_one(reader.clock()?)?;
        return Ok(Block {
            id,
            len,
            origin: None,
            right_origin: None,
            parent: None,
            content: Content::Garbage,
        });
    }
    let origin = if info & HAS_ORIGIN == 0 {
        None
    } else {
        Some(before(reader.id()?, id)?)
    };
    let right_origin = if info & HAS_RIGHT_ORIGIN == 0 {
        None
    } else {
        Some(before(reader.id()?, id)?)
    };
    let parent = if origin.is_none() && right_origin.is_none() {
        Some(Box::new(read_parent(reader, info & HAS_KEY != 0, id)?))
    } else {
        None
    };
    let (content, len) = read_content(reader, info & !(HAS_ORIGIN | HAS_RIGHT_ORIGIN | HAS_KEY))?;
    Ok(Block {
        id,
        len,
        origin,
        right_origin,
        parent,
        content,
    })
}

fn read_parent(reader: &mut Reader<'_>, has_key: bool, id: Id) -> Read<Parent> {
    let of = if reader.number(u64::from(u32::MAX))? == 1 {
        Holder::Root(reader.string()?.into())
    } else {
        Holder::Type(before(reader.id()?, id)?)
    };
    let key = if has_key {
        Some(reader.string()?.into())
    } else {
        None
    };
    Ok(Parent { of, key })
}

/// The content of a block and its number of clocks.
fn read_content(reader: &mut Reader<'_>, kind: u8) -> Read<(Content, u32)> {
    match kind {
        DELETED => Ok((Content::Deleted, at_least_one(reader.clock()?)?)),
        TEXT => {
            let text = reader.string()?;
            let len = u32::try_from(units(text)).map_err(|_| UpdateError::Malformed)?;
            Ok((Content::Text(text.to_owned()), at_least_one(len)?))
        }
        _ => read_other(reader, kind),
    }
}

fn read_other(reader: &mut Reader<'_>, kind: u8) -> Read<(Content, u32)> {
    if kind == VALUES {
        let count = reader.count()?;
        let len = u32::try_from(count).map_err(|_| UpdateError::Malformed)?;
        let bytes = reader.raw(|reader| reader.values(count))?;
        return Ok((Content::Other(kind, bytes.into()), at_least_one(len)?));
    }
    let bytes = reader.raw(|reader| match kind {
        3 => reader.buffer().map(drop),
        // An embedded object, and a format's key with its value.
        5 => reader.json(),
        6 => reader.string().and_then(|_| reader.json()),
        TYPE => reader.shared_type(),
        // 2 is obsolete JSON. 9 is a subdocument, which no client could open here.
        _ => Err(UpdateError::Malformed),
    })?;
    Ok((Content::Other(kind, bytes.into()), 1))
}

/// Checks that a reference to the block's own client is to an earlier element.
fn before(other: Id, id: Id) -> Read<Id> {
    if other.client == id.client && other.clock >= id.clock {
        return Err(UpdateError::Malformed);
    }
    Ok(other)
}

fn at_least_one(len: u32) -> Read<u32> {
    if len == 0 {
        return Err(UpdateError::Malformed);
    }
    Ok(len)
}

fn advance(clock: u32, length: u32) -> Read<u32> {
    let end = clock.checked_add(length);
    end.filter(|end| u64::from(*end) <= MAX_CLOCK)
        .ok_or(UpdateError::Malformed)
}
