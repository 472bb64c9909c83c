//! Rate limits per client: a token bucket.

use tokio::time::Instant;

/// A token bucket that holds the tokens of one second. A burst may spend all of them at once.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    tokens: f64,
    at: Instant,
}

impl Rate {
    /// Creates a full bucket.
    #[must_use]
    pub fn full(per_second: u32, now: Instant) -> Self {
        Self {
            tokens: f64::from(per_second),
            at: now,
        }
    }

    /// Spends one token. Returns `false` if the bucket is empty.
    pub fn spend(&mut self, per_second: u32, now: Instant) -> bool {
        let per_second = f64::from(per_second);
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.tokens = (self.tokens + passed * per_second).min(per_second);
        self.at = now;
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_second_of_messages_passes_at_once_and_then_as_fast_as_the_limit() {
        let start = Instant::now();
        let mut rate = Rate::full(10, start);
        let passed = (0..20).filter(|_| rate.spend(10, start)).count();
        assert_eq!(passed, 10);
        assert!(!rate.spend(10, start + Duration::from_millis(99)));
        assert!(rate.spend(10, start + Duration::from_millis(101)));
    }
}
