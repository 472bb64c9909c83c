use model::Nanos;

use crate::offset::ClockOffset;

/// One question to a peer and its reply. The local clock shows `sent` and `returned`, the peer's clock shows `received`
/// and `replied`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// t1: when the question was sent, on the local clock.
    pub sent: Nanos,
    /// t2: when the peer received it, on the peer's clock.
    pub received: Nanos,
    /// t3: when the peer replied, on the peer's clock.
    pub replied: Nanos,
    /// t4: when the reply arrived, on the local clock.
    pub returned: Nanos,
}

impl Exchange {
    /// The highest possible offset at `sent`. The question arrived later than it was sent, so the peer's clock showed
    /// less than `received` at `sent`.
    pub fn upper_bound(&self) -> ClockOffset {
        ClockOffset::between(self.received, self.sent)
    }

    /// The lowest possible offset at `returned`. The reply arrived later than it was sent, so the peer's clock showed
    /// more than `replied` at `returned`.
    pub fn lower_bound(&self) -> ClockOffset {
        ClockOffset::between(self.replied, self.returned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_lies_between_the_bounds_of_an_exchange() {
        // The peer is 1,000 ahead. The question takes 30, the peer 5, the reply 70.
        let exchange = Exchange {
            sent: Nanos(100),
            received: Nanos(1_130),
            replied: Nanos(1_135),
            returned: Nanos(205),
        };
        assert_eq!(exchange.upper_bound(), ClockOffset(1_030));
        assert_eq!(exchange.lower_bound(), ClockOffset(930));
    }
}
