//! Open load: `rate`, with `users` or `groups` as the maximum concurrency.

use serde_json::Value;

use super::{LevelLoad, Load, OpenLoad, ladder, level_of_groups, level_of_users};
use crate::arrivals::{Arrivals, Spacing};
use crate::options::grouping::{Grouping, MOST_USERS};
use crate::options::section::Section;
use crate::options::values::{describe, text};
use crate::problem::{Flaw, Problems};
use crate::rate_profile::RateProfile;

/// If neither `users` nor `groups` is set, there are enough groups for iterations of this many seconds at the highest
/// rate.
const SECONDS_OF_USERS: f64 = 10.0;
/// Bounds of the number of groups if neither `users` nor `groups` is set.
const LEAST_GROUPS: f64 = 10.0;
const MOST_GROUPS: f64 = 10_000.0;

/// Reads the levels of an open load: one for each rate.
pub(super) fn levels(
    load: &Section<'_>,
    grouping: &Grouping,
    plan: &Load,
    problems: &mut Problems,
) -> Vec<LevelLoad> {
    let rate = load.field("rate");
    let profiles = ladder(&rate, problems, |value| {
        let written = text(value).map_err(|_| {
            let given = describe(value);
            Flaw::with_hint(
                format!("expected a rate as a string, got {given}"),
                "e.g. \"100/s\", \"30/m\" or \"500/s for 10s, nothing for 50s, 5 times\"",
            )
        })?;
        let profile = RateProfile::parse(written).map_err(|why| Flaw::new(why.to_string()))?;
        Ok((written.trim().to_owned(), profile))
    });
    if load.field("duration").value.is_some()
        && profiles
            .iter()
            .any(|(_, profile)| matches!(profile, RateProfile::Segments(_)))
    {
        let message = "cannot be combined with a rate that has its own duration";
        load.field("duration").refuse(problems, Flaw::new(message));
    }
    let spacing = load
        .field("arrivals")
        .read(problems, Spacing::Even, |value| match value.as_str() {
            Some("even") => Ok(Spacing::Even),
            Some("poisson") => Ok(Spacing::Poisson),
            _ => Err(Flaw::new(format!(
                "expected \"even\" or \"poisson\", got {}",
                describe(value)
            ))),
        });
    let most = most_at_once(load, grouping, problems);
    let levels = profiles.into_iter().map(|(written, profile)| LevelLoad {
        open: Some(OpenLoad {
            rate: written,
            arrivals: Arrivals::new(&profile, spacing, plan.ramp, plan.warmup, plan.duration),
        }),
        ..most.clone().unwrap_or_else(|| enough(&profile, grouping))
    });
    levels.collect()
}

/// Refuses `arrivals` without `rate`.
pub(super) fn refuse_without_rate(load: &Section<'_>, problems: &mut Problems) {
    let arrivals = load.field("arrivals");
    if arrivals.value.is_some() {
        let message = "applies only with `rate`";
        arrivals.refuse(problems, Flaw::new(message));
    }
}

/// The maximum number of concurrent users or groups, if the options set one.
fn most_at_once(
    load: &Section<'_>,
    grouping: &Grouping,
    problems: &mut Problems,
) -> Option<LevelLoad> {
    let (users, groups) = (load.field("users"), load.field("groups"));
    if users.value.is_some() && groups.value.is_some() {
        let flaw = Flaw::new("cannot be combined with `load.users`: keep one");
        groups.refuse(problems, flaw);
        return None;
    }
    if let (Grouping::Count(count), None) = (grouping, users.value) {
        let message = format!("needs `users`, which are divided among {count} groups");
        load.field("rate").refuse(problems, Flaw::new(message));
    }
    let single = |value: &Value| match value {
        Value::Array(_) => Err(Flaw::with_hint(
            "with `rate`, expected one number: the maximum number of users",
            "for several levels, give a list of rates",
        )),
        _ => Ok(()),
    };
    let users = users.read_some(problems, |value| {
        single(value)?;
        level_of_users(value, grouping)
    });
    let groups = groups.read_some(problems, |value| {
        single(value)?;
        level_of_groups(value, grouping)
    });
    users.or(groups)
}

/// The default number of groups for a rate profile.
fn enough(profile: &RateProfile, grouping: &Grouping) -> LevelLoad {
    let size = grouping.size().unwrap_or(1);
    let groups = (profile.highest_rate() * SECONDS_OF_USERS).clamp(LEAST_GROUPS, MOST_GROUPS);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to small positive numbers"
    )]
    let groups = (groups.ceil() as u32).min(MOST_USERS / size).max(1);
    LevelLoad {
        users: groups * size,
        groups,
        open: None,
    }
}
