//! What the figures that claims name are of.

/// What a figure is of, and so what it means that it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// `mean`, `min`, `max`, `p95`.
    Time,
    /// Per second.
    Rate,
    /// The share that ended well.
    Success,
    /// `sent`, `count`, `received`, `ok`: more of them is more work done, in the same time.
    Work,
    /// How many failed.
    Failed,
    /// `users`, `sessions`: what was put on, neither good nor bad.
    Population,
}

impl Measure {
    /// Of a figure by its name; what is no other is a time.
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

    /// Whether more of it is better; `None` where it is neither.
    pub(crate) fn more_is_better(self) -> Option<bool> {
        match self {
            Self::Rate | Self::Success | Self::Work => Some(true),
            Self::Time | Self::Failed => Some(false),
            Self::Population => None,
        }
    }

    /// Whether two runs can be compared by it whatever their length.
    pub(crate) fn comparable(self) -> bool {
        matches!(self, Self::Time | Self::Rate | Self::Success)
    }
}
