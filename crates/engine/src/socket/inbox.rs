use std::collections::VecDeque;

use script::host::Message;

/// Maximum number of messages stored per socket for a later `next`. When the inbox is full, its oldest message is
/// removed. Removed messages count as dropped only if the script reads messages later, because most scripts ignore some
/// kinds of messages.
const LIMIT: usize = 64;

/// Messages of a socket that the script has not requested yet.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    messages: VecDeque<Message>,
    /// Number of messages that were removed from the full inbox since the script last requested one.
    removed: u64,
}

impl Inbox {
    pub(crate) fn keep(&mut self, message: Message) {
        if self.messages.len() >= LIMIT {
            self.messages.pop_front();
            self.removed += 1;
        }
        self.messages.push_back(message);
    }

    /// Takes the first message for which `fits` holds.
    pub(super) fn take_first(&mut self, fits: impl Fn(&Message) -> bool) -> Option<Message> {
        let at = self.messages.iter().position(fits)?;
        self.messages.remove(at)
    }

    /// Takes all messages.
    pub(super) fn take_all(&mut self) -> VecDeque<Message> {
        std::mem::take(&mut self.messages)
    }

    /// The number of messages that were removed since the last call, although the script may want one of them.
    pub(super) fn take_removed(&mut self) -> u64 {
        std::mem::take(&mut self.removed)
    }

    /// The messages, the oldest first.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter()
    }
}
