use std::sync::{Arc, Mutex, PoisonError};

use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};

use super::spec::FaultSpec;
use super::tally::{Kind, Tally};
use super::turn::Turn;

/// The faults of a running system. A system without faults has `None` instead, at no cost.
#[derive(Debug)]
pub struct Faults {
    spec: FaultSpec,
    started: Instant,
    tally: Tally,
    leaked: Mutex<Vec<Box<[u8]>>>,
}

impl Faults {
    /// Sets up the configured faults and logs a warning. `None` if no fault is configured. The stall schedule starts
    /// now.
    #[must_use]
    pub fn ordered(spec: &FaultSpec) -> Option<Arc<Self>> {
        if spec.is_empty() {
            return None;
        }
        tracing::warn!(faults = %spec, "this system injects faults");
        Some(Arc::new(Self {
            spec: spec.clone(),
            started: Instant::now(),
            tally: Tally::default(),
            leaked: Mutex::default(),
        }))
    }

    /// The configured faults.
    #[must_use]
    pub fn spec(&self) -> &FaultSpec {
        &self.spec
    }

    /// Counts of the faults that took effect.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Called for each incoming message. Leaks the configured number of bytes, and aborts the process at the message
    /// that `crash` selects.
    pub fn message(&self) {
        let number = self.tally.add(Kind::Messages, 1) + 1;
        if let Some(bytes) = self.spec.leak {
            self.leak(bytes.get());
        }
        if self.spec.crash.is_some_and(|n| number >= n.get()) {
            tracing::error!(messages = number, "aborting: injected crash");
            std::process::abort();
        }
    }

    fn leak(&self, bytes: u64) {
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        // Write to the memory; otherwise the operating system would only reserve it.
        let kept = vec![0xA5; length].into_boxed_slice();
        let mut leaked = self.leaked.lock().unwrap_or_else(PoisonError::into_inner);
        leaked.push(kept);
        self.tally.add(Kind::LeakedBytes, bytes);
    }

    /// The fault of the next delivery.
    #[must_use]
    pub fn next_turn(&self) -> Turn {
        self.spec.turn(self.tally.add(Kind::Deliveries, 1) + 1)
    }

    /// Waits for the configured delay, counted from `ready`, and then for the end of a stall. A cancelled wait is not
    /// counted.
    pub async fn hold(&self, ready: Instant) {
        if let Some(delay) = self.spec.delay {
            sleep_until(ready + delay).await;
        }
        self.stall_over().await;
        if self.spec.delay.is_some() {
            self.tally.add(Kind::Delayed, 1);
        }
    }

    /// Waits until no stall is in progress.
    pub async fn stall_over(&self) {
        let Some(stall) = self.spec.stall else { return };
        let mut waited = false;
        while let Some(remaining) = stall.remaining(self.started.elapsed()) {
            sleep(remaining).await;
            waited = true;
        }
        if waited {
            self.tally.add(Kind::Stalled, 1);
        }
    }
}

/// `GET /faults`: the configured faults, and exact counts of those that took effect.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(faults: Option<Arc<Faults>>) -> Router<S> {
    let answer = async move || {
        let (ordered, counts) = match &faults {
            Some(faults) => (faults.spec.parts(), faults.tally.to_json()),
            None => (Vec::new(), Tally::default().to_json()),
        };
        Json(json!({ "faults": ordered, "counts": counts }))
    };
    Router::new().route("/faults", get(answer))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn faults(order: &str) -> Arc<Faults> {
        Faults::ordered(&order.parse().unwrap()).unwrap()
    }

    #[test]
    fn no_order_is_no_machine_at_all() {
        assert!(Faults::ordered(&FaultSpec::default()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_in_a_stall_leaves_at_its_end() {
        let faults = faults("stall=1s/10s");
        let begin = Instant::now();
        faults.hold(begin).await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
        sleep(Duration::from_millis(10_400)).await;
        faults.hold(Instant::now()).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(11));
        assert_eq!(faults.tally().get(Kind::Stalled), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_delay_counts_from_when_it_was_ready() {
        let faults = faults("delay=20ms");
        let ready = Instant::now();
        sleep(Duration::from_millis(15)).await;
        faults.hold(ready).await;
        assert_eq!(ready.elapsed(), Duration::from_millis(20));
    }

    #[tokio::test]
    async fn leaked_bytes_are_counted() {
        let faults = faults("leak=1024");
        faults.message();
        faults.message();
        assert_eq!(faults.tally().get(Kind::LeakedBytes), 2048);
        assert_eq!(faults.tally().get(Kind::Messages), 2);
    }
}
