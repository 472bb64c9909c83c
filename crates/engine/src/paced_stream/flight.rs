use std::collections::VecDeque;

use model::Nanos;

/// The place of a chunk that awaits no reply.
const NOTHING: Nanos = Nanos::MAX;

/// The chunks that await their replies.
#[derive(Debug, Default)]
pub(super) struct Flight {
    /// The number of the first chunk in `sent`.
    first: u64,
    /// When each chunk was sent. It begins with a chunk that awaits its reply.
    sent: VecDeque<Nanos>,
    open: usize,
    /// The number behind the last chunk that was answered.
    answered: u64,
}

/// A chunk whose reply has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) chunk: u64,
    pub(super) sent: Nanos,
    /// Whether a later chunk was answered before.
    pub(super) is_reordered: bool,
}

impl Flight {
    /// The number of the next chunk.
    pub(super) fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// The number of chunks that await their replies.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// Adds the next chunk, sent at this time.
    pub(super) fn push(&mut self, at: Nanos) {
        self.sent.push_back(at);
        self.open += 1;
    }

    /// Adds the next chunk, which awaits no reply.
    pub(super) fn skip(&mut self) {
        self.sent.push_back(NOTHING);
        self.trim();
    }

    /// Takes the oldest chunk.
    pub(super) fn take_oldest(&mut self) -> Option<Taken> {
        (self.open > 0).then(|| self.take(self.first))?
    }

    /// Takes the chunk with this number. `None` if it awaits no reply.
    pub(super) fn take(&mut self, chunk: u64) -> Option<Taken> {
        let place = usize::try_from(chunk.checked_sub(self.first)?).ok()?;
        let at = self.sent.get_mut(place).filter(|at| **at != NOTHING)?;
        let sent = std::mem::replace(at, NOTHING);
        self.open -= 1;
        let is_reordered = chunk < self.answered;
        self.answered = self.answered.max(chunk + 1);
        self.trim();
        Some(Taken {
            chunk,
            sent,
            is_reordered,
        })
    }

    /// The chunks that await their replies, the oldest first.
    pub(super) fn each_open(&self) -> impl Iterator<Item = u64> {
        let each = (self.first..).zip(&self.sent);
        each.filter(|(_, at)| **at != NOTHING)
            .map(|(chunk, _)| chunk)
    }

    fn trim(&mut self) {
        while self.sent.front() == Some(&NOTHING) {
            self.sent.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(chunks: u64) -> Flight {
        let mut flight = Flight::default();
        (0..chunks).for_each(|chunk| flight.push(Nanos(chunk)));
        flight
    }

    #[test]
    fn replies_in_order_answer_the_oldest_chunk() {
        let mut flight = of(2);
        flight.skip();
        flight.push(Nanos(9));
        let mut taken = || flight.take_oldest().map(|taken| taken.chunk);
        assert_eq!(
            [taken(), taken(), taken(), taken()],
            [Some(0), Some(1), Some(3), None]
        );
        assert_eq!((flight.next(), flight.open()), (4, 0));
    }

    #[test]
    fn a_reply_is_out_of_order_if_a_later_one_came_first() {
        let mut flight = of(4);
        let order = [0, 2, 1, 3].map(|chunk| flight.take(chunk).unwrap().is_reordered);
        assert_eq!(order, [false, false, true, false]);
        assert_eq!(flight.take(3), None, "it was answered");
        assert_eq!(flight.take(4), None, "it was not sent");
    }

    #[test]
    fn chunks_without_reply_stay_open() {
        let mut flight = of(4);
        flight.take(1).unwrap();
        assert_eq!(flight.each_open().collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(flight.open(), 3);
    }
}
