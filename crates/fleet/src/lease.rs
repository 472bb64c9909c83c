//! The times of leases.
//!
//! An agent may send only while its lease is valid. The coordinator renews the lease of all agents with one message. The
//! end of a lease is a time of the run's clock, so a renewal that is delayed for long has no effect.

use std::time::Duration;

use model::Nanos;

/// Time between two renewals.
pub(crate) const EVERY: Duration = Duration::from_millis(500);
/// Time for which a renewal is valid.
pub(crate) const VALID: Nanos = Nanos::from_secs(3);
/// Time between two signs of life of an agent in a run.
pub(crate) const BEAT: Duration = Duration::from_millis(500);
/// An agent from which nothing has come for this time is lost.
pub(crate) const SILENCE: Nanos = Nanos::from_secs(3);
/// After the end of its lease, an agent has this time to report its measurements. Then it leaves the run.
pub(crate) const FAREWELL: Nanos = Nanos::from_secs(2);
