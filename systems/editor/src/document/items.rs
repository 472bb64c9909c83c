//! All blocks of a document, keyed by client, and the blocks of the text in order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::block::{Block, Content};
use super::id::Id;

/// The index of an item in `Items::all`.
pub(super) type Index = u32;

/// A block and its position.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) block: Block,
    pub(super) place: Place,
    pub(super) left: Option<Index>,
    pub(super) right: Option<Index>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The block is in the text.
    Text,
    /// The block is outside of the text, nested in this number of types. Only clients need the order of such blocks.
    Elsewhere(usize),
}

/// The blocks of one client, ordered by clock and without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    blocks: BTreeMap<u32, Index>,
    pub(super) end: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    all: Vec<Item>,
    /// Unused indices of `all`.
    free: Vec<Index>,
    clients: HashMap<u64, Written>,
    /// The number of types in which the deepest block is nested.
    pub(super) deepest: usize,
    /// The first block of the text.
    pub(super) start: Option<Index>,
    /// Size of the text in bytes.
    pub(super) text_len: usize,
}

impl Items {
    pub(super) fn item(&self, at: Index) -> &Item {
        &self.all[at as usize]
    }

    fn item_mut(&mut self, at: Index) -> &mut Item {
        &mut self.all[at as usize]
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// The clock up to which all blocks of a client are known.
    pub(super) fn end(&self, client: u64) -> u32 {
        self.clients.get(&client).map_or(0, |written| written.end)
    }

    pub(super) fn knows(&self, id: Id) -> bool {
        id.clock < self.end(id.client)
    }

    /// All clients with their blocks, in descending order of their ids, as in Yjs.
    pub(super) fn clients(&self) -> Vec<(u64, &Written)> {
        let clients = self.clients.iter();
        let mut all: Vec<_> = clients.map(|(client, w)| (*client, w)).collect();
        all.sort_unstable_by_key(|(client, _)| Reverse(*client));
        all
    }

    /// The blocks of a client, starting with the one that contains the clock `from`.
    pub(super) fn blocks_of<'a>(
        &'a self,
        written: &'a Written,
        from: u32,
    ) -> impl Iterator<Item = &'a Block> {
        let (before, after) = (written.blocks.range(..=from), written.blocks.range(from..));
        let containing = before.clone().next_back().filter(|_| from < written.end);
        let containing = containing.filter(|(begin, _)| **begin < from);
        let indices = containing.into_iter().chain(after);
        indices.map(|(_, at)| &self.item(*at).block)
    }

    /// The block that contains the element `id`.
    pub(super) fn find(&self, id: Id) -> Option<Index> {
        let written = self.clients.get(&id.client)?;
        if id.clock >= written.end {
            return None;
        }
        let (_, at) = written.blocks.range(..=id.clock).next_back()?;
        Some(*at)
    }

    /// The blocks of the text in order.
    pub(super) fn text(&self) -> impl Iterator<Item = (Index, &Block)> {
        let mut next = self.start;
        std::iter::from_fn(move || {
            let at = next?;
            next = self.item(at).right;
            Some((at, &self.item(at).block))
        })
    }

    /// Returns the block that ends with the element `id`. Splits a block if necessary.
    pub(super) fn ending_with(&mut self, id: Id) -> Option<Index> {
        let at = self.find(id)?;
        if self.item(at).block.last() != id {
            self.split(at, id.clock + 1 - self.item(at).block.id.clock);
        }
        Some(at)
    }

    /// Returns the block that begins with the element `id`. Splits a block if necessary.
    pub(super) fn beginning_with(&mut self, id: Id) -> Option<Index> {
        let at = self.find(id)?;
        let begin = self.item(at).block.id.clock;
        Some(if begin == id.clock {
            at
        } else {
            self.split(at, id.clock - begin)
        })
    }

    /// Splits a block. Returns the index of the second part.
    pub(super) fn split(&mut self, at: Index, offset: u32) -> Index {
        let before = self.item(at).block.text_len();
        let item = self.item_mut(at);
        let (place, right) = (item.place, item.right);
        let tail = item.block.split_off(offset);
        if place == Place::Text {
            // If a surrogate pair was split, each half became a replacement character.
            self.text_len += self.item(at).block.text_len() + tail.text_len() - before;
        }
        let id = tail.id;
        let new = self.keep(Item {
            block: tail,
            place,
            left: None,
            right: None,
        });
        if let Some(written) = self.clients.get_mut(&id.client) {
            written.blocks.insert(id.clock, new);
        }
        if place == Place::Text {
            self.join(Some(at), Some(new));
            self.join(Some(new), right);
        }
        new
    }

    /// Adds the next block of its client. A block of the text is inserted after `left`.
    pub(super) fn add(&mut self, block: Block, place: Place, left: Option<Index>) -> Index {
        let (id, end, text_len) = (block.id, block.end(), block.text_len());
        if let Place::Elsewhere(depth) = place {
            self.deepest = self.deepest.max(depth);
        }
        let at = self.keep(Item {
            block,
            place,
            left: None,
            right: None,
        });
        let written = self.clients.entry(id.client).or_default();
        written.blocks.insert(id.clock, at);
        written.end = end;
        if place == Place::Text {
            self.text_len += text_len;
            let right = match left {
                Some(left) => self.item(left).right,
                None => self.start,
            };
            self.join(left, Some(at));
            self.join(Some(at), right);
        }
        at
    }

    /// Deletes a range of a client's elements, which must all be known.
    pub(super) fn delete(&mut self, client: u64, range: Range<u32>) {
        let mut clock = range.start;
        while clock < range.end {
            let Some(at) = self.find(Id { client, clock }) else {
                return;
            };
            let block = &self.item(at).block;
            let (start, end, gone) = (block.id.clock, block.end(), block.is_deleted());
            clock = end;
            if gone {
                continue;
            }
            let mut at = at;
            if start < range.start {
                at = self.split(at, range.start - start);
            }
            let start = self.item(at).block.id.clock;
            if end > range.end {
                self.split(at, range.end - start);
            }
            self.empty(at);
            // The previous block may also be deleted.
            self.unite(at);
        }
        if let Some(next) = self.find(Id {
            client,
            clock: range.end,
        }) {
            self.unite(next);
        }
    }

    fn empty(&mut self, at: Index) {
        let item = self.item_mut(at);
        let text_len = item.block.text_len();
        item.block.content = Content::Deleted;
        if item.place == Place::Text {
            self.text_len -= text_len;
        }
    }

    /// Merges a block with the previous block of the same client, if possible.
    pub(super) fn unite(&mut self, at: Index) {
        let Id { client, clock } = self.item(at).block.id;
        let Some(written) = self.clients.get_mut(&client) else {
            return;
        };
        let Some((_, &before)) = written.blocks.range(..clock).next_back() else {
            return;
        };
        let in_text = self.all[before as usize].place == Place::Text;
        let apart = in_text && self.all[before as usize].right != Some(at);
        let garbage = matches!(self.all[at as usize].block.content, Content::Garbage);
        if self.all[before as usize].place != self.all[at as usize].place
            || apart
            || !(in_text || garbage)
        {
            return;
        }
        // Take the block out temporarily, because both blocks are in the same vector.
        let next = std::mem::replace(&mut self.all[at as usize].block, nothing());
        if !self.all[before as usize].block.absorb(&next) {
            self.all[at as usize].block = next;
            return;
        }
        written.blocks.remove(&clock);
        self.free.push(at);
        if in_text {
            let right = self.item(at).right;
            self.join(Some(before), right);
        }
    }

    fn join(&mut self, left: Option<Index>, right: Option<Index>) {
        match left {
            Some(left) => self.item_mut(left).right = right,
            None => self.start = right,
        }
        if let Some(right) = right {
            self.item_mut(right).left = left;
        }
    }

    fn keep(&mut self, item: Item) -> Index {
        if let Some(at) = self.free.pop() {
            self.all[at as usize] = item;
            return at;
        }
        let at = Index::try_from(self.all.len()).unwrap_or(Index::MAX);
        self.all.push(item);
        at
    }
}

/// A placeholder for unused items.
fn nothing() -> Block {
    Block {
        id: Id {
            client: 0,
            clock: 0,
        },
        len: 1,
        origin: None,
        right_origin: None,
        parent: None,
        content: Content::Garbage,
    }
}
