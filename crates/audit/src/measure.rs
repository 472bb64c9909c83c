//! The quantity that each figure of a claim measures.

/// The quantity of a figure, which decides whether an increase is good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// `mean`, `min`, `max`, `p95`.
    Time,
    /// Per second.
    Rate,
    /// The share of operations that succeeded.
    Success,
    /// `sent`, `count`, `received`, `ok`: more of them in the same time means more work.
    Work,
    /// The number of failures.
    Failed,
    /// `users`, `sessions`: the load, neither good nor bad.
    Population,
}

impl Measure {
    /// The quantity of a figure by its name. Names that are not listed are times.
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

    /// Whether more is better; `None` if more is neither better nor worse.
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
