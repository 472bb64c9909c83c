//! Positions blocks with the algorithm of Yjs (YATA), but only in the one text that the server reads. The code does not
//! recurse, and its number of steps is limited.

use std::collections::{HashMap, HashSet};

use super::block::{Block, Content, Holder};
use super::error::UpdateError;
use super::id::Id;
use super::items::{Index, Items, Place};
use super::ranges::Ranges;
use super::update::Queue;

/// The name of the text in the document. All Yjs clients use this name.
pub(super) const TEXT: &str = "code";

/// Limits for an update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Maximum number of comparisons between blocks at the same position.
    pub(super) steps: usize,
    /// Maximum nesting depth of types, because clients recurse into nested types.
    pub(super) depth: usize,
}

impl Budget {
    /// No limits, for updates that were accepted before.
    pub(super) const NONE: Self = Self {
        steps: usize::MAX,
        depth: usize::MAX,
    };

    fn step(&mut self) -> Result<(), UpdateError> {
        self.steps = self.steps.checked_sub(1).ok_or(UpdateError::TooCostly)?;
        Ok(())
    }
}

/// Integrates each block after the blocks to which it refers. Returns the blocks whose references are missing.
pub(super) fn integrate(
    items: &mut Items,
    mut queue: Queue,
    budget: &mut Budget,
) -> Result<Queue, UpdateError> {
    let mut left = Queue::new();
    while let Some((&first, _)) = queue.first_key_value() {
        // A stack of clients. The first block of each client waits for a block of the next client. `among` detects
        // cycles.
        let (mut waiting, mut among) = (vec![first], HashSet::from([first]));
        while let Some(&client) = waiting.last() {
            let blocks = queue.entry(client).or_default();
            let Some(block) = blocks.front() else {
                queue.remove(&client);
                waiting.pop();
                among.remove(&client);
                continue;
            };
            let Some(missing) = missing(items, block) else {
                if let Some(block) = blocks.pop_front() {
                    take(items, block, budget)?;
                }
                // The previous client on the stack may have waited for this block.
                if waiting.len() > 1 {
                    waiting.pop();
                    among.remove(&client);
                }
                continue;
            };
            // Otherwise the missing block is not in the queue, or the clients wait for each other. Leave all their
            // blocks waiting.
            if queue.contains_key(&missing) && among.insert(missing) {
                waiting.push(missing);
                continue;
            }
            for client in waiting.drain(..) {
                left.extend(queue.remove_entry(&client));
            }
        }
    }
    Ok(left)
}

/// If the block refers to a missing block, returns the client of that missing block.
fn missing(items: &Items, block: &Block) -> Option<u64> {
    if block.id.clock > items.end(block.id.client) {
        return Some(block.id.client);
    }
    let holder = match block.parent.as_deref() {
        Some(parent) => match &parent.of {
            Holder::Type(id) => Some(*id),
            Holder::Root(_) => None,
        },
        None => None,
    };
    let mut wanted = [block.origin, block.right_origin, holder].into_iter();
    let missing = wanted.find_map(|id| id.filter(|id| !items.knows(*id)))?;
    Some(missing.client)
}

/// Integrates the part of a block that is not yet known.
fn take(items: &mut Items, mut block: Block, budget: &mut Budget) -> Result<(), UpdateError> {
    let known = items.end(block.id.client);
    if block.end() <= known {
        return Ok(());
    }
    if block.id.clock < known {
        block = block.split_off(known - block.id.clock);
    }
    let place = place_of(items, &block);
    if let Place::Elsewhere(depth) = place
        && block.is_type()
        && depth >= budget.depth
    {
        return Err(UpdateError::TooNested);
    }
    let left = match place {
        Place::Text => left_of(items, &block, budget)?,
        Place::Elsewhere(_) => None,
    };
    let at = items.add(block, place, left);
    items.unite(at);
    Ok(())
}

/// Returns the place of a block according to its parent, which is either stated or the same as its neighbours' parent.
/// If the neighbours have different parents, the block is not in the text.
fn place_of(items: &Items, block: &Block) -> Place {
    let of = |id: Id| items.find(id).map(|at| items.item(at));
    if matches!(block.content, Content::Garbage) {
        return Place::Elsewhere(0);
    }
    let Some(parent) = block.parent.as_deref() else {
        let near = [block.origin, block.right_origin].map(|id| id.and_then(of));
        return match near.map(|item| item.map(|item| item.place)) {
            [Some(Place::Elsewhere(a)), Some(Place::Elsewhere(b))] => Place::Elsewhere(a.max(b)),
            [Some(Place::Elsewhere(depth)), _] | [_, Some(Place::Elsewhere(depth))] => {
                Place::Elsewhere(depth)
            }
            [Some(Place::Text), _] | [_, Some(Place::Text)] => Place::Text,
            [None, None] => Place::Elsewhere(0),
        };
    };
    match &parent.of {
        Holder::Root(name) if &**name == TEXT && parent.key.is_none() => Place::Text,
        Holder::Root(_) => Place::Elsewhere(0),
        Holder::Type(id) => match of(*id).map(|item| item.place) {
            Some(Place::Elsewhere(depth)) => Place::Elsewhere(depth + 1),
            _ => Place::Elsewhere(1),
        },
    }
}

/// Returns the block after which to insert a new block of the text. Other clients may have inserted at the same
/// position concurrently.
fn left_of(
    items: &mut Items,
    block: &Block,
    budget: &mut Budget,
) -> Result<Option<Index>, UpdateError> {
    let mut left = block.origin.and_then(|id| items.ending_with(id));
    let right = block.right_origin.and_then(|id| items.beginning_with(id));
    let mut next = match left {
        Some(left) => items.item(left).right,
        None => items.start,
    };
    let mut passed = Passed::default();
    // The number of blocks that had been visited when `left` was last set.
    let mut settled = 0;
    while let Some(at) = next.filter(|_| next != right) {
        budget.step()?;
        passed.order.push(at);
        let other = &items.item(at).block;
        if other.origin == block.origin {
            if other.id.client < block.id.client {
                left = Some(at);
                settled = passed.order.len();
            } else if other.right_origin == block.right_origin {
                break;
            }
        } else {
            let origin = other.origin.and_then(|id| items.find(id));
            match origin.and_then(|origin| passed.place(origin)) {
                Some(place) if place < settled => {
                    left = Some(at);
                    settled = passed.order.len();
                }
                Some(_) => {}
                None => break,
            }
        }
        next = items.item(at).right;
    }
    Ok(left)
}

/// The blocks visited by [`left_of`], in order. Most searches never ask for a block's place, so the places are looked up
/// only then: thousands of clients may have inserted at the same position.
#[derive(Default)]
struct Passed {
    order: Vec<Index>,
    places: HashMap<Index, usize>,
}

impl Passed {
    /// The place of a block in the order. `None` if the block was not visited.
    fn place(&mut self, at: Index) -> Option<usize> {
        let known = self.places.len();
        let new = self.order.iter().enumerate().skip(known);
        self.places.extend(new.map(|(place, &at)| (at, place)));
        self.places.get(&at).copied()
    }
}

/// Applies the deletions of known blocks. Returns the remaining deletions.
pub(super) fn delete(items: &mut Items, deleted: &Ranges) -> Ranges {
    let mut left = Ranges::default();
    for (client, ranges) in deleted.clients() {
        let known = items.end(client);
        for range in ranges {
            items.delete(client, range.start..range.end.min(known));
            left.push(client, range.start.max(known)..range.end);
        }
    }
    left
}
