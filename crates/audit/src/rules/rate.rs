//! A rate must equal count / duration.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "rate-and-duration",
    says: "count / rate differs from the stated duration, so the rate covers another period",
    needs: Needs::Figures("the count and the rate of one operation"),
    instead: "rates over the measured time only, without ramp-up, final wait and clean-up",
    check,
};

const TOLERANCE: f64 = 0.05;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows() {
            check_row(level, row, desk);
        }
    }
}

fn check_row(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let (Some(rate), Some(count)) = (&row.rate_per_s, &row.counts.sent) else {
        return;
    };
    let Some(duration) = &level.duration_s else {
        return desk.lacks(level.call(row), "the duration");
    };
    if rate.low() <= 0.0 {
        return;
    }
    desk.checked();
    let (least, most) = (count.low() / rate.high(), count.high() / rate.low());
    // The count may include the ramp-up while the duration does not, or the reverse.
    let ramp = level.ramp_s.as_ref().map_or(0.0, Figure::high);
    let (shortest, longest) = (duration.low() - ramp, duration.high() + ramp);
    if least > longest * (1.0 + TOLERANCE) || most < shortest * (1.0 - TOLERANCE) {
        desk.find(
            Severity::Unsupported,
            (level.call(row), &[rate.at.as_str(), duration.at.as_str()]),
            "the rate is not the count divided by the stated duration",
            format!(
                "{} / {}/s = {} s; stated: {} s",
                precise(count.value),
                precise(rate.value),
                precise(count.value / rate.value),
                precise(duration.value)
            ),
        );
    }
}
