//! If a histogram has few buckets, a percentile is the upper edge of a bucket. The true percentile may lie anywhere in
//! this bucket. A percentile above the last edge has no upper limit.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Level, Results, Row};
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "percentiles-on-edges",
    says: "percentiles are edges of histogram buckets, not measured times",
    needs: Needs::Figures("percentiles"),
    instead: "a histogram with a fixed relative error (HDR, three digits), and the bucket width of each percentile",
    check,
};

/// Minimum number of percentiles for the rule without stated edges. All must be 1, 2 or 5 times a power of ten.
const SUSPICIOUS: usize = 6;
/// The probability that such percentiles occur by chance must be below this value (law of leading digits: Benford, "The
/// Law of Anomalous Numbers", 1938).
const CHANCE: f64 = 1e-4;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let rows: Vec<&Row> = level
            .all_rows()
            .filter(|row| !row.times.percentiles.is_empty())
            .collect();
        if rows.is_empty() {
            continue;
        }
        desk.checked();
        for row in rows.iter().filter(|row| !row.edges_ms.is_empty()) {
            stated(level, row, desk);
        }
        unstated(level, &rows, desk);
    }
}

fn stated(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let edges: Vec<f64> = row.edges_ms.iter().map(|edge| edge.value).collect();
    let on_edge = |time: &&Figure| {
        edges
            .iter()
            .any(|edge| (edge - time.value).abs() <= 1e-9 * edge)
    };
    let listed: Vec<&Figure> = row.times.percentiles.iter().map(|(_, time)| time).collect();
    let on: Vec<&Figure> = listed.iter().copied().filter(on_edge).collect();
    if on.len() < listed.len() {
        return;
    }
    let words: Vec<String> = row
        .times
        .percentiles
        .iter()
        .map(|(q, time)| range(*q, time, &edges))
        .collect();
    desk.find(
        Severity::Unsupported,
        (level.call(row), &[on[0].at.as_str()]),
        "every percentile is the edge of a histogram bucket, not a measured time",
        words.join(", "),
    );
}

fn range(q: f64, at: &Figure, edges: &[f64]) -> String {
    let below = edges
        .iter()
        .copied()
        .filter(|edge| *edge < at.value)
        .fold(0.0, f64::max);
    let name = format::percentile(q);
    if edges.iter().all(|edge| *edge <= at.value) {
        return format!("{name} is {} or more, without an upper limit", time(below));
    }
    format!("{name} is between {} and {}", time(below), time(at.value))
}

fn unstated(level: &Level, rows: &[&Row], desk: &mut Desk<'_>) {
    // The importer of a known tool states the precision, so the rule need not guess the edges.
    let own = |row: &&&Row| row.edges_ms.is_empty() && !row.times.fixed_list;
    let rows: Vec<&&Row> = rows.iter().filter(own).collect();
    let listed: Vec<&Figure> = rows
        .iter()
        .flat_map(|row| row.times.percentiles.iter().map(|(_, time)| time))
        .collect();
    // The other times show that the tool could also print numbers that are not round.
    let others = rows
        .iter()
        .flat_map(|row| [&row.times.min, &row.times.mean, &row.times.max])
        .flatten();
    let mut different = listed.clone();
    different.sort_by(|one, other| one.value.total_cmp(&other.value));
    different.dedup_by(|one, other| one.value.total_cmp(&other.value).is_eq());
    let chance: f64 = different.iter().map(|time| chance(time)).product();
    let fine = others.filter(|time| !round(time.value)).count();
    if listed.len() >= SUSPICIOUS
        && chance < CHANCE
        && listed.iter().all(|time| round(time.value))
        && fine >= 2
    {
        desk.find(
            Severity::Unsupported,
            (level.name.clone(), &[listed[0].at.as_str()]),
            "all percentiles are 1, 2 or 5 times a power of ten, but the other times are not: these are bucket edges",
            listed.iter().map(|at| time(at.value)).collect::<Vec<_>>().join(", "),
        );
    }
}

/// Returns the probability that a time printed with this precision is 1, 2 or 5 times a power of ten.
fn chance(time: &Figure) -> f64 {
    let unit =
        (time.slack / 10f64.powf(time.value.abs().max(1e-9).log10().floor())).clamp(1e-6, 1.0);
    [1.0, 2.0, 5.0]
        .iter()
        .map(|edge| (1.0 + unit / edge).log10())
        .sum()
}

/// Whether a value is 1, 2 or 5 times a power of ten.
fn round(value: f64) -> bool {
    if value <= 0.0 {
        return false;
    }
    let leading = value / 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .iter()
        .any(|edge| (leading - edge).abs() < 1e-6)
}
