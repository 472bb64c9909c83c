use model::Fault;

use super::packet::Packet;
use crate::fault::{above_limit, protocol};

/// A packet that waits for its binary attachments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachments {
    text: String,
    wanted: usize,
    /// The attachments in order of arrival, which is the order of the placeholders' numbers.
    found: Vec<Vec<u8>>,
    /// Size of the text and the attachments so far.
    bytes: usize,
    limit: usize,
}

impl Attachments {
    /// Stores the text of a packet. Text and attachments together may have at most `limit` bytes.
    pub fn of(text: &str, packet: &Packet<'_>, limit: usize) -> Self {
        Self {
            text: text.to_owned(),
            wanted: packet.attachments,
            found: Vec::new(),
            bytes: text.len(),
            limit,
        }
    }

    /// Adds an attachment. Returns whether it was the last attachment of the packet.
    pub fn add(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        self.bytes += bytes.len();
        if self.bytes > self.limit {
            return Err(above_limit("a message with its attachments", self.limit));
        }
        if self.found.len() == self.wanted {
            return Err(protocol("received one binary attachment too many"));
        }
        self.found.push(bytes.to_vec());
        Ok(self.found.len() == self.wanted)
    }

    /// The packet's text as received, and its attachments.
    pub fn parts(&self) -> (&str, &[Vec<u8>]) {
        (&self.text, &self.found)
    }
}
