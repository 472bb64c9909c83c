//! A variance is at most (max − mean)·(mean − min): Bhatia and Davis, "A Better Bound on the Variance" (2000). A
//! standard deviation that divides by n − 1 may be larger by the factor √(n / (n − 1)).

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Results, Row};
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "deviation-out-of-reach",
    says: "a standard deviation is larger than the minimum, mean and maximum allow",
    needs: Needs::Figures("a standard deviation"),
    instead: "deviation, minimum and maximum of the same samples, or preferably a histogram",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows() {
            let Some(most) = most(row) else {
                if row.times.stdev.is_some() {
                    desk.lacks(level.call(row), "mean and maximum");
                }
                continue;
            };
            desk.checked();
            let Some(stdev) = row
                .times
                .stdev
                .as_ref()
                .filter(|stdev| stdev.low() > most * (1.001 + row.times.resolution))
            else {
                continue;
            };
            desk.find(
                Severity::Impossible,
                (level.call(row), &[stdev.at.as_str()]),
                "samples with this mean, minimum and maximum cannot have such a large standard deviation",
                format!("√((max − mean)·(mean − min)) = {}; published: {}", time(most), time(stdev.value)),
            );
        }
    }
}

/// Returns the largest possible deviation, over all values that the published figures may represent.
fn most(row: &Row) -> Option<f64> {
    let times = &row.times;
    times.stdev.as_ref()?;
    let (mean, max) = (times.mean.as_ref()?, times.max.as_ref()?);
    let (mean, max) = (row.reach("mean", mean), row.reach("max", max).high);
    let least = |min: &Figure| row.reach("min", min).low.max(0.0);
    let min = times.min.as_ref().map_or(0.0, least);
    // If the number of samples is unknown, the rule assumes two, which allow the largest deviation.
    let known = row.samples_are_told().then(|| row.fewest_samples());
    let samples = known.map_or(2.0, |count| count.max(2.0));
    let middle = f64::midpoint(min, max);
    let worst = middle.clamp(mean.low, mean.high);
    let variance = (max - worst).max(0.0) * (worst - min).max(0.0);
    // Even if all samples are equal, the tool's sums have a rounding error of about this size.
    let fraction = 1e-6 * max.abs();
    Some((variance * samples / (samples - 1.0)).sqrt() + fraction)
}
