use std::hash::Hasher;

/// Openings of the built-in persona's replies. Three bits of a hash select one of 8 openings, and three more one of 8
/// endings.
const OPENINGS: [&str; 8] = [
    "I hear you",
    "Well said",
    "The walls remember that",
    "Others have asked the same",
    "That is new to me",
    "Let me think about it",
    "So it was told before",
    "You speak plainly",
];
const ENDINGS: [&str; 8] = [
    "stay a while.",
    "the answer lies further in.",
    "ask me again tomorrow.",
    "mind the stairs.",
    "we should talk more of it.",
    "I would not have put it better.",
    "and yet I wonder.",
    "listen to the others too.",
];

/// Appends the built-in persona's reply. The reply depends only on the arguments, so it is the same on every machine.
pub(crate) fn answer(user: &str, room: &str, sequence: u64, message: &str, reply: &mut String) {
    let mut hash = Fnv::default();
    hash.write(user.as_bytes());
    hash.write(room.as_bytes());
    hash.write(&sequence.to_le_bytes());
    hash.write(message.as_bytes());
    let hash = hash.finish();
    let (opening, ending) = (hash >> 61, (hash >> 58) & 7);
    reply.push_str(OPENINGS[usize::try_from(opening).unwrap_or_default()]);
    reply.push_str(", ");
    reply.push_str(user);
    reply.push_str("; here in the ");
    reply.push_str(room);
    reply.push_str(", ");
    reply.push_str(ENDINGS[usize::try_from(ending).unwrap_or_default()]);
}

/// The FNV-1a hash. The hashes of the standard library may change between versions.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(sequence: u64, message: &str) -> String {
        let mut reply = String::new();
        answer("ada", "Tower", sequence, message, &mut reply);
        reply
    }

    #[test]
    fn the_same_state_and_message_get_the_same_answer() {
        assert_eq!(said(1, "hello"), said(1, "hello"));
    }

    #[test]
    fn over_a_conversation_the_answers_vary() {
        let mut answers: Vec<_> = (0..50).map(|n| said(n, "hello")).collect();
        answers.sort();
        answers.dedup();
        assert!(answers.len() > 10, "only {} different", answers.len());
    }
}
