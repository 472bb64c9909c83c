//! A figure does not show that it is below a limit if it equals the limit, is a bucket's edge or the timeout, or is
//! refuted by its own mean. For rates, success rates and messages received, the limit is a minimum unless a sign states
//! otherwise. A figure beyond the limit is impossible only if neither rounding nor a histogram explains it.

use crate::claim::{Claim, Kind, Side};
use crate::figure::Figure;
use crate::finding::Severity;
use crate::measure::Measure;
use crate::number::time;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "target-met",
    says: "the report claims that a target is met, but the figure does not show it",
    needs: Needs::Claim("a claim of kind `meets`"),
    instead: "the figure with its confidence interval: the target is met if the whole interval is below the limit",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Meets) {
        let Some(limit) = &claim.limit else {
            continue;
        };
        for level in results.levels_of(claim) {
            for of in &claim.of {
                let figure = level.counted_share(claim, of);
                match figure.or_else(|| level.claimed(claim, of)) {
                    Some(figure) => compare(claim, level, (of, &figure), limit, desk),
                    None => desk.lacks(claim.text.clone(), "the figure to compare"),
                }
            }
        }
    }
}

fn compare(
    claim: &Claim,
    level: &Level,
    (of, figure): (&str, &Figure),
    limit: &Figure,
    desk: &mut Desk<'_>,
) {
    desk.checked();
    let measure = Measure::of(of);
    let row = level.row(claim.row.as_deref());
    let mean = row
        .and_then(|row| row.times.mean.as_ref())
        .filter(|_| of.starts_with('p'));
    let wrong = match side(claim, measure) {
        Some(Side::AtLeast) => too_small(figure, limit),
        Some(Side::AtMost) => {
            let last_edge = row.map_or(0.0, last_edge);
            too_large(figure, limit).or_else(|| not_shown(figure, limit, last_edge, mean))
        }
        None => None,
    };
    let Some((severity, what)) = wrong else {
        return;
    };
    let possible = level.reach(claim, of).is_some_and(|reach| {
        let both = (reach.low <= limit.value, reach.high >= limit.value);
        both == (true, true)
    });
    let unit = |value: f64| match measure {
        Measure::Time => time(value),
        _ => precise(value),
    };
    desk.find(
        if possible {
            Severity::Unsupported
        } else {
            severity
        },
        (claim.text.clone(), &[claim.at.as_str(), figure.at.as_str()]),
        what,
        format!(
            "{of} {}, limit {}{}",
            unit(figure.value),
            unit(limit.value),
            mean.map_or(String::new(), |mean| format!(", mean {}", unit(mean.value)))
        ),
    );
}

/// Returns the side of the limit on which the figure must lie: the side that the sign states, or otherwise the better
/// side. `None` if there is no sign and neither side is better.
fn side(claim: &Claim, measure: Measure) -> Option<Side> {
    let good = measure
        .more_is_better()
        .map(|more| if more { Side::AtLeast } else { Side::AtMost });
    claim.side.or(good)
}

type Wrong = Option<(Severity, &'static str)>;

fn too_small(figure: &Figure, limit: &Figure) -> Wrong {
    let less = figure.high() < limit.value;
    less.then_some((Severity::Impossible, "the figure is below the limit"))
}

fn too_large(figure: &Figure, limit: &Figure) -> Wrong {
    let more = figure.value > limit.value;
    more.then_some((Severity::Impossible, "the figure is above the limit"))
}

fn not_shown(figure: &Figure, limit: &Figure, last_edge: f64, mean: Option<&Figure>) -> Wrong {
    let what = if last_edge > 0.0 && figure.value >= last_edge {
        "the figure is the last edge of the histogram: the true value may be arbitrarily larger"
    } else if figure.value >= limit.value {
        "the figure equals the limit, so it is not below the limit"
    } else if mean.is_some_and(|mean| mean.low() > limit.value) {
        "the mean alone exceeds the limit"
    } else {
        return None;
    };
    Some((Severity::Unsupported, what))
}

fn last_edge(row: &Row) -> f64 {
    row.edges_ms
        .iter()
        .map(|edge| edge.value)
        .fold(0.0, f64::max)
}
