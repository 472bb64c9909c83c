use model::Nanos;

use crate::{Blocks, Histogram, Samples};

/// A percentile as far as the samples carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The value and the interval that holds the true one with 95 % confidence.
    Value {
        /// The percentile of the samples.
        value: Nanos,
        /// The ends of the interval; `None` when there are too few independent samples, or too little
        /// time, to tell.
        interval: Option<(Nanos, Nanos)>,
    },
    /// It lies among the samples whose end is not known: those in flight, or those that timed out.
    Beyond {
        /// It is at least this. `None` where it lies among time-outs, which rank above every time that was measured.
        at_least: Option<Nanos>,
    },
    /// Too few samples to state it.
    Unavailable {
        /// How many samples there are.
        have: u64,
        /// How many there must be.
        need: u64,
    },
}

impl Estimate {
    /// The value, when there is one.
    pub fn value(self) -> Option<Nanos> {
        match self {
            Self::Value { value, .. } => Some(value),
            Self::Beyond { .. } | Self::Unavailable { .. } => None,
        }
    }
}

/// Quantile `q` of samples of which `endless` more timed out: they count as larger than all others, so that a percentile
/// is never that of the survivors. It has no interval: how the samples hang together is not known.
pub fn estimate(times: &Histogram, endless: u64, q: f64) -> Estimate {
    all_ended(times, endless).at(q)
}

/// The same with its interval, as wide as the correlation of the samples makes it: what follows in time is alike, and
/// so is what belongs to one message. `blocks` show how much.
pub fn estimate_in_blocks(times: &Histogram, endless: u64, blocks: &Blocks, q: f64) -> Estimate {
    all_ended(times, endless).at_in(blocks, q)
}

fn all_ended(times: &Histogram, endless: u64) -> Samples<'_> {
    Samples {
        times,
        open: Histogram::NONE,
        endless,
    }
}
