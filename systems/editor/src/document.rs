//! The text of a room as a CRDT. The rooms change it, and the store reads it from its log.

mod block;
mod difference;
mod edit;
mod encode;
mod error;
mod id;
mod integrate;
mod items;
mod ranges;
mod reader;
mod update;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use yrs::StateVector;
use yrs::block::ClientID;

use self::block::Content;
pub(crate) use self::difference::merge;
use self::difference::{hunks, one};
pub(crate) use self::error::UpdateError;
use self::integrate::Budget;
use self::items::Items;
use self::ranges::Ranges;
use self::update::{Queue, Update};

/// Limits for an update from a client: about 10 ms of work, and a nesting depth that the clients' recursion can handle.
const CLIENTS: Budget = Budget {
    steps: 250_000,
    depth: 100,
};

/// Maximum number of blocks in a document. With so many blocks, copying and encoding it takes a few milliseconds, for
/// which an update may occupy the thread. Years of typing create fewer blocks, because consecutive edits of a client
/// share a block.
const MOST_BLOCKS: usize = 20_000;

/// The document of a room, as a Yjs-compatible CRDT and as text. It stores everything that clients send, for clients
/// that join later. Only blocks of the text are kept in order. No update can make the code recurse, loop or panic.
pub(crate) struct Document {
    state: State,
    /// The Yjs client id of the server's own edits.
    client: u64,
    /// The cached text. `None` if an update has arrived since the text was last computed.
    text: Option<String>,
    /// Upper bound of the encoded size in bytes, which is the last measured size plus the size of later updates.
    weight: usize,
    /// Size in bytes of all updates since the first update with a missing predecessor. 0 without such an update.
    gap: usize,
}

/// The contents of a document. Cloning them allows trying a change on a copy.
#[derive(Clone, Default)]
struct State {
    items: Items,
    /// Blocks that wait for their predecessors.
    waiting: Queue,
    /// Deletions of blocks that have not arrived.
    undeleted: Ranges,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Document(..)")
    }
}

impl Default for Document {
    fn default() -> Self {
        Self {
            state: State::default(),
            // Yjs client ids are random 32-bit numbers.
            client: RandomState::new().hash_one(0) & u64::from(u32::MAX),
            text: Some(String::new()),
            weight: 0,
            gap: 0,
        }
    }
}

impl Document {
    /// The text.
    pub(crate) fn text(&mut self) -> &str {
        let Self { state, text, .. } = self;
        text.get_or_insert_with(|| state.text())
    }

    /// Whether, after this update, the text would have at most `most` bytes, and the encoded document at most twice as
    /// many. The encoded document also contains deletions, content other than text, and updates that wait for a
    /// predecessor.
    pub(crate) fn has_room_for(&mut self, update: &[u8], most: usize) -> Result<bool, UpdateError> {
        let text = self.state.items.text_len + self.gap + update.len();
        if text <= most && self.weight + update.len() <= 2 * most {
            return Ok(true);
        }
        // The update's size alone suggests that it does not fit, but it may also delete text. Apply it to a copy to
        // find out.
        let mut copy = self.state.clone();
        copy.take(self.state.read(update)?, CLIENTS)?;
        let weight = copy.since(|_| 0).len();
        let fits = copy.items.text_len <= most && weight <= 2 * most;
        if fits {
            self.weight = weight.saturating_sub(update.len());
        }
        Ok(fits)
    }

    /// Replaces the text with `new`. Returns the corresponding update, or `None` if nothing changed. `finely` keeps
    /// unchanged text between two changes, so that carets in it stay in place.
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
        let items = &mut self.state.items;
        let before = items.end(self.client);
        let deleted = edit::write(items, self.client, &places);
        let known = |client| {
            if client == self.client {
                before
            } else {
                u32::MAX
            }
        };
        let update = encode::since(items, &Queue::new(), &deleted, known);
        self.weight += update.len();
        match &mut self.text {
            Some(text) => new.clone_into(text),
            none => *none = Some(new.to_owned()),
        }
        Some(update)
    }

    /// Applies an update from a client. A refused update leaves the document unchanged.
    pub(crate) fn apply(&mut self, update: &[u8]) -> Result<(), UpdateError> {
        let read = self.state.read(update)?;
        if self.state.surely_takes(&read) {
            self.state.take(read, CLIENTS)?;
        } else {
            let mut copy = self.state.clone();
            copy.take(read, CLIENTS)?;
            self.state = copy;
        }
        self.count(update.len());
        Ok(())
    }

    /// Applies an update that was accepted before, without a cost limit.
    pub(crate) fn load(&mut self, update: &[u8]) -> Result<(), UpdateError> {
        self.state.take(Update::read(update)?, Budget::NONE)?;
        self.count(update.len());
        Ok(())
    }

    fn count(&mut self, bytes: usize) {
        self.text = None;
        self.weight += bytes;
        self.gap = if self.state.has_gap() {
            self.gap + bytes
        } else {
            0
        };
    }

    /// Whether an update is waiting for a missing predecessor.
    pub(crate) fn has_gap(&self) -> bool {
        self.gap > 0
    }

    /// Encodes the updates that a client with the state vector `known` lacks, and the updates that wait for a
    /// predecessor.
    pub(crate) fn since(&self, known: &StateVector) -> Vec<u8> {
        self.state.since(|client| known.get(&ClientID::new(client)))
    }

    /// Encodes the whole document.
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.state.since(|_| 0)
    }

    /// The state vector.
    pub(crate) fn known(&self) -> StateVector {
        let clients = self.state.items.clients().into_iter();
        let known: HashMap<_, _, _> = clients
            .map(|(client, written)| (ClientID::new(client), written.end))
            .collect();
        StateVector::new(known)
    }
}

impl State {
    /// Reads an update from a client. Fails if the document would then have more than [`MOST_BLOCKS`].
    fn read(&self, update: &[u8]) -> Result<Update, UpdateError> {
        let waiting: usize = self.waiting.values().map(VecDeque::len).sum();
        let known = self.items.len() + waiting;
        Update::read_at_most(update, MOST_BLOCKS.saturating_sub(known))
    }

    fn take(&mut self, update: Update, mut budget: Budget) -> Result<(), UpdateError> {
        let mut queue = std::mem::take(&mut self.waiting);
        for (client, blocks) in update.blocks {
            let waiting = queue.entry(client).or_default();
            waiting.extend(blocks);
            waiting.make_contiguous().sort_by_key(|block| block.id);
        }
        self.waiting = integrate::integrate(&mut self.items, queue, &mut budget)?;
        self.undeleted.extend(&update.deleted);
        self.undeleted = integrate::delete(&mut self.items, &self.undeleted);
        Ok(())
    }

    /// Whether the update stays within the limits even in the worst case, so that no copy is needed to undo it. In the
    /// worst case, each block is compared with all others, and each type is nested in the deepest one.
    fn surely_takes(&self, update: &Update) -> bool {
        let blocks = update.len();
        // Each new block may split two existing blocks.
        let most = blocks.saturating_mul(self.items.len() + 3 * blocks);
        let depth = self.items.deepest + update.types();
        most <= CLIENTS.steps && self.waiting.is_empty() && depth < CLIENTS.depth
    }

    fn has_gap(&self) -> bool {
        !self.waiting.is_empty() || !self.undeleted.is_empty()
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(self.items.text_len);
        for (_, block) in self.items.text() {
            if let Content::Text(letters) = &block.content {
                text.push_str(letters);
            }
        }
        text
    }

    fn since(&self, known: impl Fn(u64) -> u32) -> Vec<u8> {
        let mut deleted = encode::deleted(&self.items);
        deleted.extend(&self.undeleted);
        encode::since(&self.items, &self.waiting, &deleted, known)
    }
}

#[cfg(test)]
mod tests;
