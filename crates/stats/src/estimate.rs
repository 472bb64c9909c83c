use model::Nanos;

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
