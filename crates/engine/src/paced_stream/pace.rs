use model::Nanos;

/// When chunks are due: chunk `i` at `begun + i * every`, whatever the replies do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) begun: Nanos,
    pub(super) every: Nanos,
    /// The number of chunks. It shrinks if the stream ends early.
    pub(super) total: u64,
}

impl Pace {
    /// The time at which a chunk is due.
    pub(super) fn due(&self, chunk: u64) -> Nanos {
        self.begun + Nanos(self.every.0.saturating_mul(chunk))
    }

    /// The number of chunks that are due at `now`.
    pub(super) fn due_by(&self, now: Nanos) -> u64 {
        if now < self.begun {
            return 0;
        }
        ((now - self.begun).0 / self.every.0.max(1) + 1).min(self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_due_at_equal_intervals() {
        let pace = Pace {
            begun: Nanos(100),
            every: Nanos(20),
            total: 3,
        };
        assert_eq!([0, 1, 2].map(|chunk| pace.due(chunk).0), [100, 120, 140]);
        let due = [99, 100, 119, 120, 140, 999].map(|now| pace.due_by(Nanos(now)));
        assert_eq!(due, [0, 1, 1, 2, 3, 3]);
    }
}
