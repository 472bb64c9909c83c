use std::collections::BTreeMap;

use crate::Figure;

/// A statement of a report about its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// The kind of statement.
    pub kind: Kind,
    /// Wording of the claim.
    pub text: String,
    /// Place of the claim in the source.
    pub at: String,
    /// The figures that the claim is about: `rate`, `p50`, `mean`, `received`, `success`.
    pub of: Vec<String>,
    /// The operation that the claim is about; `None` for the whole level.
    pub row: Option<String>,
    /// The levels that the claim is about, in the order of the statement: before and after, or by load.
    pub levels: Vec<String>,
    /// The factor of the change: 1.42 for +42 %, 4.7 for 4.7 ×.
    pub by: Option<Span>,
    /// The distance by which `by` may extend further if its number was cut off instead of rounded.
    pub cut: f64,
    /// The stated number of users.
    pub users: Option<Span>,
    /// The users' pause between requests in seconds, if the claim converts users to people.
    pub think_s: Option<Span>,
    /// The stated figure.
    pub value: Option<Figure>,
    /// The limit that is said to be met.
    pub limit: Option<Figure>,
    /// The side of the limit on which the figure is, if a sign such as `< 100ms` states the side.
    pub side: Option<Side>,
    /// Whether `value` and `limit` are a share, in per cent, of the counted operations.
    pub percent: bool,
    /// The figure on which other figures are said to depend: `received`.
    pub on: Option<String>,
    /// The owner of a measured resource: `none`, `machine`, `generator` or `process`.
    pub measured: Option<String>,
    /// The conditions that the claim requires: `fan_out = "100"`.
    pub conditions: BTreeMap<String, String>,
}

/// A range; both ends are equal if one number is stated.
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
    /// At the limit or below.
    AtMost,
    /// At the limit or above.
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
    /// The figure jumps between two levels.
    Cliff,
    /// The figure changes by a factor from the first level to the second.
    Change,
    /// The figure is better in the second level than in the first.
    Better,
    /// The figure is the same in both levels, or nearly so.
    Same,
    /// The figure depends on another figure.
    DependsOn,
    /// The system handles the stated number of users, or does not.
    Handles,
    /// The stated number of users were connected or active at the same time.
    Concurrent,
    /// The figure is below a limit.
    Meets,
    /// All operations succeeded, or the stated share of them.
    Success,
    /// The text repeats a figure.
    States,
    /// The level is within the capacity of the system.
    WithinCapacity,
    /// The system is at its limit from the stated number of users on.
    Saturated,
    /// The rate is the maximum of the system.
    Peak,
    /// A resource or a component is the cause, or is not.
    Cause,
    /// A feature costs little or nothing.
    NoOverhead,
    /// A gain is expected.
    Expected,
    /// Concurrent flows stand for the stated number of people.
    People,
    /// The level is called good or bad.
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
