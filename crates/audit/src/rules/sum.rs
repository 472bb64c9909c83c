//! The rate and the counts of a level must be the sums over its operations.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "rows-and-whole",
    says: "the rows of a level do not add up to the level's total",
    needs: Needs::Figures("figures of single operations, in addition to the total"),
    instead: "a total computed from all rows, none of which is missing",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in results
        .levels
        .iter()
        .filter(|level| !level.flow && level.rows.len() > 1)
    {
        compare(level, "rate", |row| row.rate_per_s.as_ref(), desk);
        compare(level, "count", |row| row.counts.sent.as_ref(), desk);
    }
}

fn compare(level: &Level, of: &str, pick: fn(&Row) -> Option<&Figure>, desk: &mut Desk<'_>) {
    let rows: Vec<&Row> = level.rows.iter().filter(|row| !row.repeats).collect();
    let parts: Vec<&Figure> = rows.iter().filter_map(|row| pick(row)).collect();
    let Some(whole) = pick(&level.total).filter(|_| parts.len() == rows.len() && !parts.is_empty())
    else {
        return;
    };
    desk.checked();
    let sum = |of: fn(&Figure) -> f64| parts.iter().map(|part| of(part)).sum::<f64>();
    // Rounding explains at most half a unit per row.
    let half: f64 = parts.iter().map(|part| part.slack / 2.0).sum();
    let value = sum(|part| part.value);
    if (value - whole.value).abs() > (half + whole.slack / 2.0) * 1.001 + 1e-9 * value {
        desk.find(
            Severity::Doubtful,
            (
                level.name.clone(),
                &[whole.at.as_str(), parts[0].at.as_str()],
            ),
            format!("the {of} of the level is not the sum of the rows"),
            format!(
                "Σ of {} rows = {}; stated: {}",
                parts.len(),
                precise(value),
                precise(whole.value)
            ),
        );
    }
}
