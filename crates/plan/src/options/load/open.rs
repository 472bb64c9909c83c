//! Open load: `rate`, and `users` or `groups` as the most at the same time.

use serde_json::Value;

use super::{LevelLoad, Load, MOST_USERS, OpenLoad, ladder, level_of_groups, level_of_users};
use crate::arrivals::{Arrivals, Spacing};
use crate::course::Course;
use crate::options::crowd::Grouping;
use crate::options::section::Section;
use crate::options::values::{describe, text};
use crate::problem::{Flaw, Problems};

/// Where nobody says how many users there are, so many seconds of arrivals may wait for their answers.
const SECONDS_OF_USERS: f64 = 10.0;
/// Bounds of the groups where nobody says how many there are.
const LEAST_GROUPS: f64 = 10.0;
const MOST_GROUPS: f64 = 10_000.0;

/// The levels of an open load: one for each rate.
pub(super) fn levels(
    load: &Section<'_>,
    grouping: &Grouping,
    plan: &Load,
    problems: &mut Problems,
) -> Vec<LevelLoad> {
    let rate = load.field("rate");
    let courses = ladder(&rate, problems, |value| {
        let written = text(value).map_err(|_| {
            let given = describe(value);
            Flaw::with_hint(
                format!("expected a rate as text, got {given}"),
                "e.g. \"100/s\", \"30/m\" or \"500/s for 10s, nothing for 50s, 5 times\"",
            )
        })?;
        let course = Course::parse(written).map_err(|why| Flaw::new(why.to_string()))?;
        Ok((written.trim().to_owned(), course))
    });
    if load.field("duration").value.is_some()
        && courses
            .iter()
            .any(|(_, course)| matches!(course, Course::Legs(_)))
    {
        let message = "cannot stand beside a rate that says how long it lasts";
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
    let levels = courses.into_iter().map(|(written, course)| LevelLoad {
        open: Some(OpenLoad {
            rate: written,
            arrivals: Arrivals::new(&course, spacing, plan.ramp, plan.warmup, plan.duration),
        }),
        ..most.clone().unwrap_or_else(|| enough(&course, grouping))
    });
    levels.collect()
}

/// Without a rate nothing arrives.
pub(super) fn refuse_without_rate(load: &Section<'_>, problems: &mut Problems) {
    let arrivals = load.field("arrivals");
    if arrivals.value.is_some() {
        let message = "has a meaning only with `rate`";
        arrivals.refuse(problems, Flaw::new(message));
    }
}

/// The users that there are, where the user says so.
fn most_at_once(
    load: &Section<'_>,
    grouping: &Grouping,
    problems: &mut Problems,
) -> Option<LevelLoad> {
    let (users, groups) = (load.field("users"), load.field("groups"));
    if users.value.is_some() && groups.value.is_some() {
        let flaw = Flaw::new("cannot stand beside `load.users`: keep one");
        groups.refuse(problems, flaw);
        return None;
    }
    if let (Grouping::Count(count), None) = (grouping, users.value) {
        let message = format!("needs `users`: they are shared out to {count} groups");
        load.field("rate").refuse(problems, Flaw::new(message));
    }
    let single = |value: &Value| match value {
        Value::Array(_) => Err(Flaw::with_hint(
            "expected one number beside `rate`: the most at the same time",
            "a ladder of levels is a list of rates",
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

fn enough(course: &Course, grouping: &Grouping) -> LevelLoad {
    let size = grouping.size().unwrap_or(1);
    let groups = (course.highest_rate() * SECONDS_OF_USERS).clamp(LEAST_GROUPS, MOST_GROUPS);
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
