use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::message::Message;

/// Number of messages that are remembered. Multicasts that run at the same time arrive interleaved.
const REMEMBERED: usize = 16;

/// The messages that arrived last. A multicast arrives once for each identity with an inbox on this instance. All these
/// inboxes share one message, so that its frame is encoded once.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<Arc<Message>>>);

impl Recent {
    /// Returns the equal message that arrived before, or else the message itself.
    pub(super) fn share(&self, message: Message) -> Arc<Message> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = recent.iter().rev().find(|known| known.equals(&message)) {
            return known.clone();
        }
        if recent.len() == REMEMBERED {
            recent.pop_front();
        }
        let message = Arc::new(message);
        recent.push_back(message.clone());
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{MessageId, Mode};
    use crate::name::Name;
    use crate::time::Time;

    fn message(id: &str, payload: &'static str) -> Message {
        Message::new(
            MessageId::new(id).unwrap(),
            Name::new("default").unwrap(),
            "text/plain".into(),
            Mode::AtMostOnce,
            payload.into(),
            Time::of_millis(0),
        )
    }

    #[test]
    fn equal_messages_share_one_frame_and_others_do_not() {
        let recent = Recent::default();
        let first = recent.share(message("a", "x"));
        assert!(Arc::ptr_eq(&first, &recent.share(message("a", "x"))));
        for other in [
            message("b", "x"),
            message("a", "y"),
            message("a", "x").again(),
        ] {
            assert!(!Arc::ptr_eq(&first, &recent.share(other)));
        }
        assert!(Arc::ptr_eq(&first, &recent.share(message("a", "x"))));
    }

    #[test]
    fn only_the_latest_messages_are_remembered() {
        let recent = Recent::default();
        let first = recent.share(message("0", "x"));
        for number in 1..=REMEMBERED {
            recent.share(message(&number.to_string(), "x"));
        }
        assert_eq!(Arc::strong_count(&first), 1);
    }
}
