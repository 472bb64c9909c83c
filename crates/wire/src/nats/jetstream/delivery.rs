use crate::decimal;

/// The place of a consumer's message, from its reply subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// The stream.
    pub stream: &'a str,
    /// The consumer.
    pub consumer: &'a str,
    /// The number of times that the message was delivered, including this time.
    pub delivered: u64,
    /// The message's number in the stream.
    pub stream_sequence: u64,
    /// The delivery's number in the consumer.
    pub consumer_sequence: u64,
    /// The time at which the message was stored, in nanoseconds since the Unix epoch.
    pub stored_ns: u64,
    /// The number of messages that wait for the consumer after this one.
    pub pending: u64,
}

impl<'a> Delivery<'a> {
    /// Parses `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>`, or the
    /// newer form with `<domain>.<account>` before the stream, and more words at the end. `None` for other subjects.
    pub fn parse(reply: &'a str) -> Option<Self> {
        let rest = reply.strip_prefix("$JS.ACK.")?;
        // The longest form has nine known words and may have further ones.
        let mut words = [""; 9];
        let mut count = 0;
        for word in rest.split('.') {
            if let Some(place) = words.get_mut(count) {
                *place = word;
            }
            count += 1;
        }
        let [
            stream,
            consumer,
            delivered,
            stream_sequence,
            consumer_sequence,
            stored,
            pending,
        ] = match count {
            7 => *words.first_chunk()?,
            9.. => *words.last_chunk()?,
            _ => return None,
        };
        let number = |word: &str| decimal::parse(word.as_bytes());
        Some(Self {
            stream,
            consumer,
            delivered: number(delivered)?,
            stream_sequence: number(stream_sequence)?,
            consumer_sequence: number(consumer_sequence)?,
            stored_ns: number(stored)?,
            pending: number(pending)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_the_same_place() {
        let expected = Delivery {
            stream: "ORDERS",
            consumer: "new",
            delivered: 2,
            stream_sequence: 101,
            consumer_sequence: 37,
            stored_ns: 1_700_000_000_000_000_000,
            pending: 4,
        };
        for reply in [
            "$JS.ACK.ORDERS.new.2.101.37.1700000000000000000.4",
            "$JS.ACK._.ACCHASH.ORDERS.new.2.101.37.1700000000000000000.4",
            "$JS.ACK.hub.ACCHASH.ORDERS.new.2.101.37.1700000000000000000.4.rAnDoM",
            "$JS.ACK.hub.ACCHASH.ORDERS.new.2.101.37.1700000000000000000.4.rAnDoM.later",
        ] {
            assert_eq!(Delivery::parse(reply), Some(expected), "{reply}");
        }
    }

    #[test]
    fn other_subjects_have_no_place() {
        for reply in [
            "_INBOX.a.1",
            "$JS.ACK.",
            "$JS.ACK.ORDERS.new.2.101.37.1700000000000000000",
            "$JS.ACK.x.ORDERS.new.2.101.37.1700000000000000000.4",
            "$JS.ACK.ORDERS.new.2.x.37.1700000000000000000.4",
            "$JS.ACK.ORDERS.new.-2.101.37.1700000000000000000.4",
        ] {
            assert_eq!(Delivery::parse(reply), None, "{reply}");
        }
    }
}
