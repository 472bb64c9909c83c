//! The load and its duration.

mod open;

use model::Nanos;
use serde_json::Value;

use super::grouping::{Grouping, MOST_USERS};
use super::section::{Field, Section};
use super::values::{describe, duration, flag, grouped, positive_duration, whole};
use crate::arrivals::Arrivals;
use crate::problem::{Flaw, Problems};

/// Maximum number of levels of a run.
const MOST_LEVELS: usize = 64;

pub(super) const KNOWN: [&str; 9] = [
    "users", "groups", "rate", "arrivals", "duration", "ramp", "warmup", "once", "limit",
];

/// A closed load, in which a group starts its next iteration when the previous one has ended, or an open load, in which
/// iterations start when they are due.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The levels in the order in which they run; at least one.
    pub levels: Vec<LevelLoad>,
    /// The measured time of each level; zero with `once`. A rate profile has its own duration instead.
    pub duration: Nanos,
    /// Ramp-up time. The groups of a level start evenly over this time, or the rate rises evenly. With zero, all groups
    /// start at once.
    pub ramp: Nanos,
    /// Time at full load before the measurement.
    pub warmup: Nanos,
    /// If set, each group runs one iteration, and the level ends when all have ended.
    pub once: Option<Once>,
}

/// Runs one iteration per group instead of measuring for a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Once {
    /// Time limit of a level.
    pub limit: Nanos,
}

/// The users and groups of one level. Group sizes differ by at most one, larger groups first.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelLoad {
    /// The number of users of the level. In an open load, it is the maximum number of concurrent users.
    pub users: u32,
    /// The number of groups that these users form: at least one, at most `users`.
    pub groups: u32,
    /// The arrivals, if this is an open load.
    pub open: Option<OpenLoad>,
}

/// The arrivals of an open load.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoad {
    /// The rate or rate profile as the user wrote it.
    pub rate: String,
    /// The planned arrivals.
    pub arrivals: Arrivals,
}

impl LevelLoad {
    /// The number of users of one group. `group` counts from 0 within the level.
    pub fn group_size(&self, group: u32) -> u32 {
        self.users / self.groups + u32::from(group < self.users % self.groups)
    }

    /// The number of users in all groups before this one, which is also the number of its first user in the level.
    pub fn users_before(&self, group: u32) -> u32 {
        group * (self.users / self.groups) + group.min(self.users % self.groups)
    }
}

/// Reads `load`. The list of levels is empty only if a problem was reported.
pub(super) fn read(field: &Field<'_>, grouping: &Grouping, problems: &mut Problems) -> Load {
    if field.value.is_none() {
        let hint = "e.g. load: { users: [10, 50], duration: \"30s\" }";
        field.refuse(problems, Flaw::with_hint("is missing", hint));
    }
    let load = field.open(&KNOWN, problems);
    let once = once(&load, problems);
    let default = match once {
        Some(_) => Nanos::ZERO,
        None => Nanos::from_secs(10),
    };
    let mut read = Load {
        levels: Vec::new(),
        duration: load
            .field("duration")
            .read(problems, default, positive_duration),
        ramp: load.field("ramp").read(problems, Nanos::ZERO, duration),
        warmup: load.field("warmup").read(problems, Nanos::ZERO, duration),
        once,
    };
    read.levels = if load.field("rate").value.is_some() {
        open::levels(&load, grouping, &read, problems)
    } else {
        open::refuse_without_rate(&load, problems);
        levels(field, &load, grouping, problems)
    };
    read
}

fn once(load: &Section<'_>, problems: &mut Problems) -> Option<Once> {
    let once = load.field("once").read(problems, false, flag);
    let limit = load.field("limit");
    if !once {
        if limit.value.is_some() {
            limit.refuse(problems, Flaw::new("applies only with `once: true`"));
        }
        return None;
    }
    for name in ["rate", "duration", "ramp", "warmup"] {
        let field = load.field(name);
        if field.value.is_some() {
            let message = "cannot be combined with `once: true`";
            let hint = "all groups start together, and the level ends when the last group ends";
            field.refuse(problems, Flaw::with_hint(message, hint));
        }
    }
    let limit = limit.read(problems, Nanos::from_secs(60), positive_duration);
    Some(Once { limit })
}

fn levels(
    field: &Field<'_>,
    load: &Section<'_>,
    grouping: &Grouping,
    problems: &mut Problems,
) -> Vec<LevelLoad> {
    let (users, groups) = (load.field("users"), load.field("groups"));
    match (users.value.is_some(), groups.value.is_some()) {
        (true, true) => {
            groups.refuse(
                problems,
                Flaw::new("cannot be combined with `load.users`: keep one"),
            );
        }
        (false, false) if matches!(field.value, Some(Value::Object(_))) => {
            field.refuse(problems, Flaw::new("needs `users`, `groups` or `rate`"));
        }
        _ => {}
    }
    let mut levels = ladder(&users, problems, |value| level_of_users(value, grouping));
    levels.extend(ladder(&groups, problems, |value| {
        level_of_groups(value, grouping)
    }));
    levels
}

/// Reads one value or a list of values, one per level. Reports a problem for each wrong value and returns the others.
fn ladder<T>(
    field: &Field<'_>,
    problems: &mut Problems,
    parse: impl Fn(&Value) -> Result<T, Flaw>,
) -> Vec<T> {
    let steps = field.one_or_many();
    if steps.is_empty() && field.value.is_some() {
        field.refuse(
            problems,
            Flaw::new("is an empty list: expected at least one level"),
        );
    }
    if steps.len() > MOST_LEVELS {
        let message = format!("has {} levels, more than {MOST_LEVELS}", steps.len());
        field.refuse(problems, Flaw::new(message));
        return Vec::new();
    }
    steps
        .iter()
        .filter_map(|step| step.read_some(problems, &parse))
        .collect()
}

fn level_of_users(value: &Value, grouping: &Grouping) -> Result<LevelLoad, Flaw> {
    let users = whole(value, 1, MOST_USERS)?;
    match (grouping, grouping.size()) {
        (Grouping::Count(groups), _) if users < *groups => Err(Flaw::with_hint(
            format!("{users} users cannot fill {groups} groups"),
            format!("use at least {groups} users, or fewer `groups`"),
        )),
        (Grouping::Count(groups), _) => Ok(LevelLoad {
            users,
            groups: *groups,
            open: None,
        }),
        (_, Some(size)) if !users.is_multiple_of(size) => Err(Flaw::with_hint(
            format!("{users} users cannot be divided into groups of {size}"),
            format!(
                "nearest possible numbers: {}",
                nearest_multiples(users, size)
            ),
        )),
        (_, size) => Ok(LevelLoad {
            users,
            groups: users / size.unwrap_or(1),
            open: None,
        }),
    }
}

fn level_of_groups(value: &Value, grouping: &Grouping) -> Result<LevelLoad, Flaw> {
    let Some(size) = grouping.size() else {
        return Err(Flaw::with_hint(
            format!(
                "{} groups, but `groups` already sets the number of groups",
                describe(value)
            ),
            "give `load.users`",
        ));
    };
    let groups = whole(value, 1, MOST_USERS)?;
    let Some(users) = groups
        .checked_mul(size)
        .filter(|users| *users <= MOST_USERS)
    else {
        return Err(Flaw::new(format!(
            "{groups} groups of {size} are more than {} users",
            grouped(MOST_USERS)
        )));
    };
    Ok(LevelLoad {
        users,
        groups,
        open: None,
    })
}

/// The nearest multiples of `size`, such as "10 and 15". Returns only one multiple if the other is 0 or above the
/// maximum.
fn nearest_multiples(users: u32, size: u32) -> String {
    let below = users / size * size;
    let above = below + size;
    match (below, above > MOST_USERS) {
        (0, _) => above.to_string(),
        (_, true) => below.to_string(),
        _ => format!("{below} and {above}"),
    }
}
