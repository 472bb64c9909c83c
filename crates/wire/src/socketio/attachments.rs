use model::Fault;

use super::packet::Packet;
use crate::fault::{above_limit, protocol};

/// Binary attachments that one packet may have.
pub const ATTACHMENTS_LIMIT: usize = 1024;

/// A packet whose binary attachments are still coming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachments {
    text: String,
    wanted: usize,
    /// In the order in which they came, which is that of their placeholders' numbers.
    found: Vec<Vec<u8>>,
    bytes: usize,
    limit: usize,
}

impl Attachments {
    /// Keeps the packet's text. Refuses attachments of more than `limit` bytes together.
    pub fn of(text: &str, packet: &Packet<'_>, limit: usize) -> Self {
        Self {
            text: text.to_owned(),
            wanted: packet.attachments,
            found: Vec::new(),
            bytes: text.len(),
            limit,
        }
    }

    /// One came. Whether it was the last.
    pub fn add(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        self.bytes += bytes.len();
        if self.bytes > self.limit {
            return Err(above_limit("a message with its attachments", self.limit));
        }
        if self.found.len() == self.wanted {
            return Err(protocol("an attachment that belongs to no packet"));
        }
        self.found.push(bytes.to_vec());
        Ok(self.found.len() == self.wanted)
    }

    /// The packet as it came, and its attachments.
    pub fn parts(&self) -> (&str, &[Vec<u8>]) {
        (&self.text, &self.found)
    }
}
