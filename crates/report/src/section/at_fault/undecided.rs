//! The side because of which a run decides nothing.

use record::{Inconclusive, IssueCause, Level, Run, Shortfall, ThresholdResult};

use super::side::AtFault;
use super::thresholds;
use crate::section::inconclusive::why_inconclusive;
use crate::section::label;
use crate::words;
use crate::words::Culprit;

/// Names the side because of which a level is invalid.
pub(super) fn invalid(level: &Level) -> AtFault {
    let cause = level.invalid_because().next();
    let culprit = match cause.map(IssueCause::itself) {
        Some(
            IssueCause::NotMeasured
            | IssueCause::ShortMeasurement { .. }
            | IssueCause::EventsDropped { .. },
        ) => Culprit::Script,
        Some(IssueCause::NotAllSent { .. } | IssueCause::AudienceIncomplete { .. }) | None => {
            Culprit::Unknown
        }
        Some(_) => Culprit::Generator,
    };
    let why = cause.map_or_else(|| "the cause is unknown".to_owned(), words::issue::sentence);
    let at = label(&level.load);
    AtFault::new(culprit, format!("At {at}, {why}."))
        .and("The level says nothing against the target.")
}

/// Names the side because of which a threshold is inconclusive.
pub(super) fn threshold(run: &Run, result: &ThresholdResult) -> AtFault {
    let level = run.levels.iter().find(|level| level.index == result.level);
    let why = result.inconclusive;
    if let (Some(Inconclusive::InvalidLevel), Some(level)) = (why, level) {
        return invalid(level);
    }
    let dropped = |level| thresholds::dropped(run, level).map(|dropped| dropped.culprit);
    let culprit = match why {
        Some(
            Inconclusive::TooFewSamples { .. }
            | Inconclusive::GroupsUnknown { .. }
            | Inconclusive::OutOfReach
            | Inconclusive::LessLoad {
                shortfall: Shortfall::QueueDropped { .. },
            },
        ) => Culprit::Script,
        Some(Inconclusive::LessLoad {
            shortfall: Shortfall::StartsDropped { .. },
        }) => level.and_then(dropped).unwrap_or(Culprit::Unknown),
        Some(
            Inconclusive::OwnFailures { .. }
            | Inconclusive::ClockError { .. }
            | Inconclusive::InvalidLevel
            | Inconclusive::LessLoad { .. },
        ) => Culprit::Generator,
        Some(
            Inconclusive::NoData
            | Inconclusive::InFlight { .. }
            | Inconclusive::DeliveriesOpen { .. },
        )
        | None => Culprit::Unknown,
    };
    let (metric, condition) = (&result.metric, &result.condition);
    let why = why.map_or_else(
        || "the measurements do not decide it".to_owned(),
        |why| why_inconclusive(run, result, why),
    );
    AtFault::new(culprit, format!("{metric} {condition}: {why}."))
}
