//! Counts of completed operations vary with the operations' times. If some operations took longer than a window,
//! completions cannot be as evenly spread over the windows as starts. If the counts are that even nevertheless, they
//! count starts and do not describe the system.

use crate::finding::Severity;
use crate::number::{percent, time};
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "counts-launches",
    says: "a rate counts starts, so it stays constant whatever the system does",
    needs: Needs::Figures("counts in windows of time"),
    instead: "successes per second (goodput), in addition to starts per second",
    check,
};

/// If the counts of windows differ by less than this share, a schedule produced them.
const EVEN: f64 = 0.005;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in results
        .levels
        .iter()
        .filter(|level| level.windows.len() >= 5)
    {
        let Some(window) = &level.window_s else {
            desk.lacks(level.name.clone(), "the length of a window (`window`)");
            continue;
        };
        let longest = level.all_rows().filter_map(|row| row.times.max.as_ref());
        let Some(longest) = longest.map(|max| max.value).reduce(f64::max) else {
            desk.lacks(level.name.clone(), "the longest time");
            continue;
        };
        desk.checked();
        let unevenness = unevenness(level);
        if longest > 1000.0 * window.value && unevenness < EVEN {
            desk.find(
                Severity::Unsupported,
                (level.name.clone(), &[level.windows[0].at.as_str()]),
                "the throughput over time counts starts: requests that lasted many windows do not show in it",
                format!(
                    "{} windows of {} s differ by {} or less (without the first), but requests took up to {}",
                    level.windows.len(),
                    precise(window.value),
                    percent(unevenness),
                    time(longest)
                ),
            );
        }
    }
}

/// Returns the largest distance of a window from the median. The first window is left out, because a rate limiter may
/// begin with a burst.
fn unevenness(level: &Level) -> f64 {
    let mut counts: Vec<f64> = level
        .windows
        .iter()
        .skip(1)
        .map(|count| count.value)
        .collect();
    counts.sort_by(f64::total_cmp);
    let middle = counts[counts.len() / 2].max(1e-9);
    counts
        .iter()
        .map(|count| (count - middle).abs() / middle)
        .fold(0.0, f64::max)
}
