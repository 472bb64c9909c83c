//! A time requires a measured operation. A time beside 0 requests, or one printed as NaN, was not measured.

use crate::finding::Severity;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "nothing-measured",
    says: "no request ended, or times are printed as NaN: nothing was measured",
    needs: Needs::Figures("a load and its figures"),
    instead: "the errors of this run, and a run against a target that responds",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        desk.checked();
        if let Some((at, printed)) = nothing(&level.total) {
            tell(level, at, printed, desk);
        }
    }
}

/// Returns the place that shows that nothing was measured, and the text printed there.
fn nothing(row: &Row) -> Option<(&str, &'static str)> {
    let none = row.counts.sent.as_ref().filter(|sent| sent.high() <= 0.0);
    let none = none.map(|sent| (sent.at.as_str(), "number of requests = 0"));
    let undefined = row.times.undefined.as_deref();
    none.or(undefined.map(|at| (at, "time = NaN")))
}

fn tell(level: &Level, at: &str, printed: &str, desk: &mut Desk<'_>) {
    desk.find(
        Severity::Unsupported,
        (level.call(&level.total), &[at]),
        "nothing was measured, so the other figures do not describe any request",
        printed,
    );
}
