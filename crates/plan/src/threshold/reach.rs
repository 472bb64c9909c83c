//! Parses the suffixes of a threshold, as in `… up to 200 users or abort`.

use super::error::ThresholdError;
use super::subject::span_of;

/// The load up to which a threshold applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Levels of at most this many users.
    Users(f64),
    /// Levels of at most this many groups.
    Groups(f64),
    /// Levels of at most this many arrivals per second, on average.
    Rate(f64),
}

impl Reach {
    /// Whether a threshold applies to a level. A closed load has no rate, so `up to 500/s` never covers it.
    pub fn covers(&self, users: u64, groups: u64, rate_per_s: Option<f64>) -> bool {
        match self {
            Self::Users(most) => users as f64 <= *most,
            Self::Groups(most) => groups as f64 <= *most,
            Self::Rate(most) => rate_per_s.is_some_and(|rate| rate <= *most),
        }
    }
}

/// Splits a threshold into the comparison, the load up to which it applies, and whether it aborts the run.
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
                ThresholdError::new(text, span_of(text, load), "expected a load after `up to`")
                    .hint("e.g. `up to 200 users`, `up to 40 groups` or `up to 500/s`"),
            )
        }
    }
}
