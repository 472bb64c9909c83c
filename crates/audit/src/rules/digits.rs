//! A rate, count / duration, is no more precise than the duration: 200 / 0.015 s is anything from 12,903 to 13,793. A
//! duration in whole seconds counts as configured and therefore exact.

use crate::finding::Severity;
use crate::number::{percent, printed};
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "false-precision",
    says: "a rate has more digits than the duration from which it was computed",
    needs: Needs::Figures("count, rate and duration"),
    instead: "durations with at least as many digits as the rates, and the spread over several runs",
    check,
};

const COARSE: f64 = 0.02;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let row = &level.total;
        let (Some(duration), Some(rate), Some(count)) =
            (&level.duration_s, &row.rate_per_s, &row.counts.sent)
        else {
            continue;
        };
        desk.checked();
        if duration.value.fract() == 0.0 {
            continue;
        }
        let coarse = duration.slack / (2.0 * duration.value.max(1e-12));
        if coarse > COARSE && rate.slack / rate.value.max(1e-12) < coarse / 100.0 {
            let half = duration.slack / 2.0;
            desk.find(
                Severity::Doubtful,
                (
                    level.name.clone(),
                    &[rate.at.as_str(), duration.at.as_str()],
                ),
                format!(
                    "{}/s has more digits than a duration of {} s supports",
                    printed(rate),
                    printed(duration)
                ),
                format!(
                    "{} / ({} ± {} s) = {} to {}; the precision of the duration is {}",
                    precise(count.value),
                    precise(duration.value),
                    precise(half),
                    precise(count.value / (duration.value + half)),
                    precise(count.value / (duration.value - half)),
                    percent(coarse)
                ),
            );
        }
    }
}
