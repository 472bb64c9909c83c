//! The quantity that a figure of a claim measures.

/// The quantity that a figure measures, which decides whether an increase is good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// A time: `mean`, `min`, `max`, `p95`.
    Time,
    /// A rate per second.
    Rate,
    /// The share of operations that succeeded.
    Success,
    /// An amount of work: `sent`, `count`, `received`, `ok`. More work in the same time is better.
    Work,
    /// The number of failures.
    Failed,
    /// The load: `users`, `sessions`. A higher load is neither good nor bad.
    Population,
}

impl Measure {
    /// Returns the quantity of the figure called `name`. Names that are not listed are times.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "rate" => Self::Rate,
            "success" => Self::Success,
            "sent" | "count" | "received" | "ok" => Self::Work,
            "failed" => Self::Failed,
            "users" | "sessions" => Self::Population,
            _ => Self::Time,
        }
    }

    /// Whether more is better. `None` if more is neither better nor worse.
    pub(crate) fn more_is_better(self) -> Option<bool> {
        match self {
            Self::Rate | Self::Success | Self::Work => Some(true),
            Self::Time | Self::Failed => Some(false),
            Self::Population => None,
        }
    }

    /// Whether the figure can be compared between runs of different lengths.
    pub(crate) fn comparable(self) -> bool {
        matches!(self, Self::Time | Self::Rate | Self::Success)
    }
}
