use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The number of times that the user has requested a stop. The first request ends the run early but in order, the
/// second one ends it at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Adds a request to stop.
    pub fn ask(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| {
                Some(asked.saturating_add(1))
            });
    }

    /// Adds a request to stop if there is none yet. Returns whether it did.
    pub fn ask_first(&self) -> bool {
        let first = self
            .0
            .compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        first.is_ok()
    }

    /// The number of requests to stop.
    pub fn asked(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_request_can_be_the_first() {
        let stop = Stop::default();
        assert_eq!((stop.ask_first(), stop.asked()), (true, 1));
        assert_eq!((stop.ask_first(), stop.asked()), (false, 1));
        stop.ask();
        assert_eq!((stop.ask_first(), stop.asked()), (false, 2));
    }
}
