use std::collections::BTreeMap;

use crate::figure::Figure;

/// A claim of a report about its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// The kind of claim.
    pub kind: Kind,
    /// Wording of the claim.
    pub text: String,
    /// Place of the claim in the source.
    pub at: String,
    /// The figures that the claim is about: `rate`, `p50`, `mean`, `received`, `success`.
    pub of: Vec<String>,
    /// The operation that the claim is about. `None` for the whole level.
    pub row: Option<String>,
    /// The levels that the claim is about, in the claim's order: before and after, or ascending load.
    pub levels: Vec<String>,
    /// The factor of a change: 1.42 for +42 %, 4.7 for 4.7 ×.
    pub by: Option<Span>,
    /// The additional error of `by` if its number was truncated instead of rounded.
    pub cut: f64,
    /// The number of users that the claim states.
    pub users: Option<Span>,
    /// Pause of a user between requests, in seconds, if the claim converts concurrent users to people.
    pub think_s: Option<Span>,
    /// The figure that the claim states.
    pub value: Option<Figure>,
    /// The limit that the claim says is met.
    pub limit: Option<Figure>,
    /// The side of the limit on which the figure is said to lie. Set if a sign states it, as in `< 100ms`.
    pub side: Option<Side>,
    /// Whether `value` and `limit` are shares of the counted operations, in per cent.
    pub percent: bool,
    /// The figure on which other figures are said to depend, such as `received`.
    pub on: Option<String>,
    /// What the resource figures were measured on: `none`, `machine`, `generator` or `process`.
    pub measured: Option<String>,
    /// The conditions that the claim requires: `fan_out = "100"`.
    pub conditions: BTreeMap<String, String>,
}

/// A range of numbers. Both ends are equal if the claim states a single number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// The smallest value, rounded down.
    pub low: f64,
    /// The largest value, rounded up.
    pub high: f64,
}

/// The side of a limit on which a figure lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The figure is at most the limit.
    AtMost,
    /// The figure is at least the limit.
    AtLeast,
}

/// The kinds of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The figure grows in proportion to the users.
    #[default]
    Linear,
    /// The figure grows less than the users.
    SubLinear,
    /// The figure changes abruptly between two levels.
    Cliff,
    /// The figure changes by a factor from the first level to the second.
    Change,
    /// The figure is better in the second level than in the first.
    Better,
    /// The figure is the same, or nearly the same, in both levels.
    Same,
    /// The figure depends on another figure.
    DependsOn,
    /// The system can handle the stated number of users, or cannot.
    Handles,
    /// The stated number of users were connected or active at the same time.
    Concurrent,
    /// The figure is below a limit.
    Meets,
    /// All operations succeeded, or a stated share of them.
    Success,
    /// The claim repeats a figure.
    States,
    /// The level is within the capacity of the system.
    WithinCapacity,
    /// The system is at its limit from the stated number of users.
    Saturated,
    /// The rate is the maximum that the system can reach.
    Peak,
    /// A resource or component is the cause of a limit, or is not.
    Cause,
    /// A feature has little or no cost.
    NoOverhead,
    /// An improvement is expected.
    Expected,
    /// Concurrent flows correspond to the stated number of people.
    People,
    /// The claim calls the level good or bad.
    Verdict,
}

impl Kind {
    /// All kinds with their names in `audit.toml`.
    pub const ALL: [(&'static str, Self); 20] = [
        ("linear", Self::Linear),
        ("sub-linear", Self::SubLinear),
        ("cliff", Self::Cliff),
        ("change", Self::Change),
        ("better", Self::Better),
        ("same", Self::Same),
        ("depends-on", Self::DependsOn),
        ("handles", Self::Handles),
        ("concurrent", Self::Concurrent),
        ("meets", Self::Meets),
        ("success", Self::Success),
        ("states", Self::States),
        ("within-capacity", Self::WithinCapacity),
        ("saturated", Self::Saturated),
        ("peak", Self::Peak),
        ("cause", Self::Cause),
        ("no-overhead", Self::NoOverhead),
        ("expected", Self::Expected),
        ("people", Self::People),
        ("verdict", Self::Verdict),
    ];
}
