//! `… up to 200 users or abort`: in which levels a promise is made, and what comes of breaking it.

use super::error::ThresholdError;
use super::subject::span_of;

/// The load up to which something is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Levels of at most so many users.
    Users(f64),
    /// Levels of at most so many groups.
    Groups(f64),
    /// Levels of at most so many arrivals per second, on average.
    Rate(f64),
}

impl Reach {
    /// Whether a level lies within. A closed load has no rate and an open one promises nothing for its users.
    pub fn covers(&self, users: u64, groups: u64, rate_per_s: Option<f64>) -> bool {
        match self {
            Self::Users(most) => users as f64 <= *most,
            Self::Groups(most) => groups as f64 <= *most,
            Self::Rate(most) => rate_per_s.is_some_and(|rate| rate <= *most),
        }
    }
}

/// The condition itself, how far it reaches, and whether breaking it aborts.
pub(super) fn split(text: &str) -> Result<(&str, Option<Reach>, bool), ThresholdError> {
    let mut condition = text.trim_end();
    let abort = condition.ends_with(" or abort");
    if abort {
        condition = condition.trim_end_matches("or abort").trim_end();
    }
    let Some((condition, load)) = condition.split_once(" up to ") else {
        return Ok((condition, None, abort));
    };
    let load = load.trim();
    let (number, unit) = crate::duration::split_number(load);
    let reach = number.parse().ok().and_then(|most| match unit {
        "users" | "user" => Some(Reach::Users(most)),
        "groups" | "group" => Some(Reach::Groups(most)),
        "/s" => Some(Reach::Rate(most)),
        _ => None,
    });
    match reach {
        Some(reach) => Ok((condition, Some(reach), abort)),
        None => {
            Err(
                ThresholdError::new(text, span_of(text, load), "expected a load behind `up to`")
                    .hint("e.g. `up to 200 users`, `up to 40 groups` or `up to 500/s`"),
            )
        }
    }
}
