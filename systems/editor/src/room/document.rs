mod block;
mod edit;
mod encode;
mod integrate;
mod items;
mod ranges;
mod reader;
mod update;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use yrs::StateVector;
use yrs::block::ClientID;

use self::block::Content;
use self::integrate::Budget;
use self::items::Items;
use self::ranges::Ranges;
pub(crate) use self::update::UpdateError;
use self::update::{Queue, Update};
use super::difference::{hunks, one};

/// What an update of a client may cost: some 10 ms, and no deeper than clients can recurse.
const CLIENTS: Budget = Budget {
    steps: 250_000,
    depth: 100,
};

/// The text of a room, as a CRDT and as it reads. It speaks the format of Yjs. All that clients send is kept for those
/// who come; but only the text is put in order here, which nobody's update can make recurse, loop or panic.
pub(crate) struct Document {
    state: State,
    /// As whom the server writes.
    client: u64,
    /// How it reads; `None` when an update came since somebody asked.
    text: Option<String>,
    /// Bytes that it has at most, encoded: what it had when that was last measured, and what came since.
    weight: usize,
    /// Bytes of updates since one came that lacks another before it.
    gap: usize,
}

/// What it is made of.
#[derive(Clone, Default)]
struct State {
    items: Items,
    /// Blocks that lack one before them.
    waiting: Queue,
    /// What was deleted before it came.
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
            // Clients of Yjs are random numbers of 32 bits.
            client: RandomState::new().hash_one(0) & u64::from(u32::MAX),
            text: Some(String::new()),
            weight: 0,
            gap: 0,
        }
    }
}

impl Document {
    /// How it reads.
    pub(crate) fn text(&mut self) -> &str {
        let Self { state, text, .. } = self;
        text.get_or_insert_with(|| state.text())
    }

    /// Whether the text has `most` bytes at most when it has taken the update in, and the document twice
    /// as many, encoded: with what was deleted, what is not text, and what waits for an update before it.
    pub(crate) fn has_room_for(&mut self, update: &[u8], most: usize) -> Result<bool, UpdateError> {
        let text = self.state.items.text_len + self.gap + update.len();
        if text <= most && self.weight + update.len() <= 2 * most {
            return Ok(true);
        }
        // That much may be in it, or not: it may delete as well. It is tried on a copy.
        let mut copy = self.state.clone();
        copy.take(Update::read(update)?, CLIENTS)?;
        let weight = copy.since(|_| 0).len();
        let fits = copy.items.text_len <= most && weight <= 2 * most;
        if fits {
            self.weight = weight.saturating_sub(update.len());
        }
        Ok(fits)
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

    /// Takes an update of a client in. One that is refused leaves the document as it was.
    pub(crate) fn apply(&mut self, update: &[u8]) -> Result<(), UpdateError> {
        let read = Update::read(update)?;
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

    /// Takes an update in that was taken before: it may cost what it costs.
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

    /// Whether something that came lacks an update before it.
    pub(crate) fn has_gap(&self) -> bool {
        self.gap > 0
    }

    /// What one who knows `known` lacks, and what waits here for an update before it.
    pub(crate) fn since(&self, known: &StateVector) -> Vec<u8> {
        self.state.since(|client| known.get(&ClientID::new(client)))
    }

    /// All of it.
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.state.since(|_| 0)
    }

    /// What is known here.
    pub(crate) fn known(&self) -> StateVector {
        let clients = self.state.items.clients().into_iter();
        let known: HashMap<_, _, _> = clients
            .map(|(client, end)| (ClientID::new(client), end))
            .collect();
        StateVector::new(known)
    }
}

impl State {
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

    /// Whether the update is within what one may cost, even if each of its blocks were compared with all others.
    fn surely_takes(&self, update: &Update) -> bool {
        let blocks = update.len();
        // Each block may cut two others.
        let most = blocks.saturating_mul(self.items.len() + 3 * blocks);
        most <= CLIENTS.steps && self.waiting.is_empty() && update.is_plain()
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
