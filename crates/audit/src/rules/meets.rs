//! "Below the limit" of a figure that is the limit itself, that is an edge of a bucket or the time-out, or that its own
//! mean refutes, is not shown. For a rate, a share of success and what was received the limit is the least.

use crate::number::{short, time};
use crate::{Claim, Desk, Figure, Kind, Level, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "target-met",
    says: "a target is called met by a figure that does not show it",
    needs: "a claim of the kind meets",
    instead: "the figure with its interval against the limit: met where the whole interval is below",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Meets) {
        let Some(limit) = &claim.limit else {
            continue;
        };
        for level in results.levels_of(claim) {
            for of in &claim.of {
                match level.figure(claim.row.as_deref(), of) {
                    Some(figure) => compare(claim, level, (of, &figure), limit, desk),
                    None => desk.lacks(claim.text.clone(), "the figure that is compared"),
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
    let row = level.row(claim.row.as_deref());
    let unit = |value: f64| {
        if matches!(
            of,
            "rate" | "success" | "ok" | "failed" | "received" | "sent" | "count"
        ) {
            short(value)
        } else {
            time(value)
        }
    };
    let edges: Vec<f64> = row.map_or(Vec::new(), |row| {
        row.edges_ms.iter().map(|edge| edge.value).collect()
    });
    let last_edge = edges.iter().copied().fold(0.0, f64::max);
    let mean = row
        .and_then(|row| row.times.mean.as_ref())
        .filter(|_| of.starts_with('p'));
    let at_least = matches!(
        of,
        "rate" | "success" | "ok" | "received" | "sent" | "count"
    );
    let (severity, what) = if at_least {
        if figure.high() >= limit.value {
            return;
        }
        (Severity::Impossible, "it is less than the limit")
    } else if figure.value > limit.value {
        (Severity::Impossible, "it is not below the limit")
    } else if last_edge > 0.0 && figure.value >= last_edge {
        (
            Severity::Unsupported,
            "the figure is the last edge of the histogram: the true one has no limit",
        )
    } else if figure.value >= limit.value {
        (
            Severity::Unsupported,
            "the figure is the limit itself, not below it",
        )
    } else if mean.is_some_and(|mean| mean.low() > limit.value) {
        (Severity::Unsupported, "the mean alone is beyond the limit")
    } else {
        return;
    };
    desk.find(
        severity,
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
