use std::collections::BTreeMap;

use crate::Figure;

/// Something that a report says about its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// What kind of statement it is.
    pub kind: Kind,
    /// Its words.
    pub text: String,
    /// Where it stands.
    pub at: String,
    /// Which figures it is about: `rate`, `p50`, `mean`, `received`, `success`.
    pub of: Vec<String>,
    /// Of which operation; the whole level without one.
    pub row: Option<String>,
    /// About which levels, in the order of the statement: before and after, or ascending.
    pub levels: Vec<String>,
    /// By how much: 1.42 for +42 %, 4.7 for 4.7 ×.
    pub by: Option<Span>,
    /// How much further `by` may reach if it was cut off and not rounded.
    pub cut: f64,
    /// How many users it speaks of.
    pub users: Option<Span>,
    /// Users' pause between requests, in seconds, where it converts users.
    pub think_s: Option<Span>,
    /// The figure that it states.
    pub value: Option<Figure>,
    /// The limit that it says is kept.
    pub limit: Option<Figure>,
    /// On which side of the limit the figure is, where a sign says so: `< 100ms`.
    pub side: Option<Side>,
    /// Whether `value` and `limit` are a share, in per cent, of what the figure counts.
    pub percent: bool,
    /// What it says that the figures depend on: `received`.
    pub on: Option<String>,
    /// Whose figure a resource is: `none`, `machine`, `generator` or `process`.
    pub measured: Option<String>,
    /// What must have been set for it: `fan_out = "100"`.
    pub conditions: BTreeMap<String, String>,
}

/// From and to; the same where one number is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// The smallest that is stated, rounded down.
    pub low: f64,
    /// The largest that is stated, rounded up.
    pub high: f64,
}

/// A side of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The limit itself, or less.
    AtMost,
    /// The limit itself, or more.
    AtLeast,
}

/// Kinds of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The figure grows in proportion to the users.
    #[default]
    Linear,
    /// It grows less than the users.
    SubLinear,
    /// It jumps between two levels.
    Cliff,
    /// It changes by a factor from the first level to the second.
    Change,
    /// It is better in the second level than in the first.
    Better,
    /// It is the same in both, or nearly.
    Same,
    /// It depends on another figure.
    DependsOn,
    /// So many users are held, or not held.
    Handles,
    /// So many were connected or at work at the same time.
    Concurrent,
    /// The figure is below a limit.
    Meets,
    /// Everything succeeded, or such a share.
    Success,
    /// A figure is told a second time.
    States,
    /// The level is within what the system can do.
    WithinCapacity,
    /// The system is at its limit from so many users on.
    Saturated,
    /// The rate is the most that the system can do.
    Peak,
    /// A resource or a part is the cause, or is not.
    Cause,
    /// Something costs nothing, or little.
    NoOverhead,
    /// A gain that is expected.
    Expected,
    /// Concurrent flows stand for so many people.
    People,
    /// The level is called good or bad.
    Verdict,
}

impl Kind {
    /// All kinds and how `audit.toml` spells them.
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
