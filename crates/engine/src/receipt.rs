//! Read delays: how long data waited in the kernel until the worker read it, and how exact the receive times are.

use serde::{Deserialize, Serialize};
use stats::Histogram;

use crate::net::ReadSample;

/// Read delays are recorded for one connection in `ONE_IN`. Each worker also records the first `ALWAYS` connections of
/// a level, so that small loads are measured too.
const ALWAYS: u64 = 4;
const ONE_IN: u64 = 16;

/// Read delays and receive-time errors of one worker in one level, from its sampled connections.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Receipts {
    opened: u64,
    /// The times that data waited in the kernel before it was read. `None` until a connection is sampled, because a
    /// missing measurement is not 0.
    pub(crate) delays: Option<Histogram>,
    /// The receive-time errors: by how much receive times may be too late.
    pub(crate) errors: Option<Histogram>,
    /// Number of implausible timestamps.
    pub(crate) implausible: u64,
}

impl Receipts {
    /// Decides whether a new connection is sampled. `is_stamped`: the kernel stamps what the connection receives.
    pub(crate) fn samples(&mut self, is_stamped: bool) -> bool {
        let number = self.opened;
        self.opened += 1;
        let sampled = is_stamped && (number < ALWAYS || number.is_multiple_of(ONE_IN));
        if sampled {
            self.delays.get_or_insert_default();
            self.errors.get_or_insert_default();
        }
        sampled
    }

    /// Counts a read of the measured time.
    pub(crate) fn note(&mut self, sample: ReadSample) {
        self.implausible += u64::from(sample.implausible);
        if let Some(delay) = sample.delay {
            self.delays.get_or_insert_default().record(delay);
        }
        self.errors.get_or_insert_default().record(sample.error);
    }
}
