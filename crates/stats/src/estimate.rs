use model::Nanos;

use crate::{Blocks, Histogram, Samples};

/// A percentile, as far as the samples support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The value, and the interval that contains the true value with 95 % confidence.
    Value {
        /// The percentile of the samples.
        value: Nanos,
        /// The ends of the interval. `None` if there are too few independent samples, or if the time was too short.
        interval: Option<(Nanos, Nanos)>,
    },
    /// The percentile is among the samples without a known end: those in flight, or those that timed out.
    Beyond {
        /// A lower bound. `None` if the percentile is among the timeouts, which rank above every measured time.
        at_least: Option<Nanos>,
    },
    /// There are too few samples.
    Unavailable {
        /// The number of samples.
        have: u64,
        /// The number of samples that are needed.
        need: u64,
    },
}

impl Estimate {
    /// The value, if there is one.
    pub fn value(self) -> Option<Nanos> {
        match self {
            Self::Value { value, .. } => Some(value),
            Self::Beyond { .. } | Self::Unavailable { .. } => None,
        }
    }
}

/// Quantile `q` of `times` together with `endless` samples that timed out. Timeouts rank as the largest samples, so
/// that percentiles also cover operations that never ended. There is no interval, because the correlation is unknown.
pub fn estimate(times: &Histogram, endless: u64, q: f64) -> Estimate {
    all_ended(times, endless).at(q)
}

/// Like [`estimate`], but with an interval, whose width depends on the correlation of the samples. Samples that are
/// close in time or belong to one message are correlated, and `blocks` show how much.
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
