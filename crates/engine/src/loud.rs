//! Connections whose reads cost so much that they change other figures.

use model::Nanos;
use record::IssueCause;

/// Connections that cost too much are reported if they take more than this percentage of the measured time.
const WORTH_TELLING: f64 = 20.0;

/// The time within the measured time that was spent on connections that cost too much.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loud {
    spent: Nanos,
    /// The endpoint of the first connection that cost too much.
    first: Option<String>,
}

impl Loud {
    /// Adds the cost of a read. `endpoint` names the endpoint of the connection.
    pub(crate) fn note(&mut self, cost: Nanos, endpoint: impl FnOnce() -> Option<String>) {
        self.spent += cost;
        self.first = self.first.take().or_else(endpoint);
    }

    /// Keeps the larger loss: workers lose time in parallel, so losses do not add up.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.spent > self.spent {
            *self = other;
        }
    }

    /// An issue of the level, if connections that cost too much took enough time to change other figures.
    pub(crate) fn issue(&self, duration_s: f64) -> Option<IssueCause> {
        let spent_percent = self.spent.as_secs_f64() / duration_s * 100.0;
        let first = self
            .first
            .as_ref()
            .filter(|_| spent_percent > WORTH_TELLING)?;
        Some(IssueCause::SmallMessages {
            spent_percent,
            connection: first.clone(),
        })
    }
}
