//! Edits by the server, which writes a whole text as insertions and deletions.

use super::block::{Block, Content, Holder, Parent, units};
use super::difference::Hunk;
use super::id::Id;
use super::integrate::TEXT;
use super::items::{Index, Items, Place};
use super::ranges::Ranges;

/// A position in the text, after `offset` bytes of a block.
#[derive(Clone, Copy)]
struct Spot {
    at: Index,
    offset: usize,
}

/// Applies hunks to the text as edits of `client`. Returns the deletions.
pub(super) fn write(items: &mut Items, client: u64, places: &[Hunk<'_>]) -> Ranges {
    let mut deleted = Ranges::default();
    let spots = spots(items, places);
    // Start at the end, so that earlier positions remain valid.
    for (hunk, [from, to]) in places.iter().zip(spots).rev() {
        // Insert after the removed text, so that consecutive removed pieces can be merged into one block.
        if !hunk.insert.is_empty() {
            insert(items, client, to, hunk.insert);
        }
        if let Some(to) = to.filter(|_| hunk.remove > 0) {
            remove(items, from, to, &mut deleted);
        }
    }
    deleted.merge();
    deleted
}

/// The start and end of each hunk. `None` means the beginning of the text.
fn spots(items: &Items, places: &[Hunk<'_>]) -> Vec<[Option<Spot>; 2]> {
    let ends = places
        .iter()
        .flat_map(|hunk| [hunk.at, hunk.at + hunk.remove]);
    let mut blocks = items.text().filter(|(_, block)| block.text_len() > 0);
    let (mut current, mut begin) = (None, 0);
    let mut found = ends.map(|end| {
        while current.is_none_or(|(_, len)| begin + len < end) && end > 0 {
            let Some((at, block)) = blocks.next() else {
                break;
            };
            begin += current.map_or(0, |(_, len)| len);
            current = Some((at, block.text_len()));
        }
        let (at, _) = current.filter(|_| end > 0)?;
        let offset = end - begin;
        Some(Spot { at, offset })
    });
    let mut spots = Vec::new();
    while let (Some(from), Some(to)) = (found.next(), found.next()) {
        spots.push([from, to]);
    }
    spots
}

/// Splits the text at a position. Returns the block before it.
fn cut(items: &mut Items, spot: Spot) -> Index {
    let block = &items.item(spot.at).block;
    if let Content::Text(text) = &block.content
        && spot.offset < text.len()
    {
        let offset = units(&text[..spot.offset]);
        items.split(spot.at, u32::try_from(offset).unwrap_or(u32::MAX));
    }
    spot.at
}

fn insert(items: &mut Items, client: u64, spot: Option<Spot>, text: &str) {
    let mut left = spot.map(|spot| cut(items, spot));
    let right = match left {
        Some(left) => items.item(left).right,
        None => items.start,
    };
    let origin = left.map(|left| items.item(left).block.last());
    let right_origin = right.map(|right| items.item(right).block.id);
    let parent = Parent {
        of: Holder::Root(TEXT.into()),
        key: None,
    };
    let block = Block {
        id: Id {
            client,
            clock: items.end(client),
        },
        len: u32::try_from(units(text)).unwrap_or(u32::MAX),
        origin,
        right_origin,
        parent: (origin.is_none() && right_origin.is_none()).then(|| Box::new(parent)),
        content: Content::Text(text.to_owned()),
    };
    let mut added = Vec::new();
    for chunk in block.chunks() {
        let at = items.add(chunk, Place::Text, left);
        left = Some(at);
        added.push(at);
    }
    // Start at the end, because merging a block with its predecessor removes the block.
    for at in added.into_iter().rev() {
        items.unite(at);
    }
}

/// Deletes the text between two positions.
fn remove(items: &mut Items, from: Option<Spot>, to: Spot, deleted: &mut Ranges) {
    let (first, offset) = from.map_or((items.start, 0), |from| (Some(from.at), from.offset));
    let (mut gone, mut next) = (Vec::new(), first);
    while let Some(at) = next {
        let block = &items.item(at).block;
        if let Content::Text(text) = &block.content {
            let begin = if Some(at) == first { offset } else { 0 };
            let end = if at == to.at { to.offset } else { text.len() };
            let clocks = |bytes: usize| u32::try_from(units(&text[..bytes])).unwrap_or(u32::MAX);
            let clock = block.id.clock;
            gone.push((block.id.client, clock + clocks(begin)..clock + clocks(end)));
        }
        next = items.item(at).right.filter(|_| at != to.at);
    }
    for (client, range) in gone {
        if !range.is_empty() {
            items.delete(client, range.clone());
            deleted.push(client, range);
        }
    }
}
