//! The short output for a run that is too small for statistics, such as `bench -n 3` or the first try of a scenario.

use format::{count, duration, plural};
use record::{Level, Run, Timings};

use super::frame::{foot, headline, notes, threshold_lines};
use super::page::Page;
use super::trouble;
use crate::section::timings::longest;
use crate::section::verdict;

/// With fewer operations of each kind, percentiles are not worth a table.
const FEW: u64 = 20;

/// Whether the run has a single level with only a few operations of each kind.
pub(super) fn is_enough(run: &Run) -> bool {
    let [level] = run.levels.as_slice() else {
        return false;
    };
    let measured = &level.measured;
    let deliveries = measured.deliveries.values().map(|one| one.expected);
    let operations = families(level).map(|(_, one)| one.count);
    deliveries.chain(operations).sum::<u64>() < FEW && measured.funnel.steps.is_empty()
}

pub(super) fn parts(run: &Run, page: Page) -> Vec<Vec<String>> {
    let mut head = headline(run, page);
    head.extend(notes(&verdict::remarks(run), page));
    for level in &run.levels {
        head.extend(families(level).map(|(name, one)| page.cut_to(&line(name, one), 0)));
        let deliveries = level.measured.deliveries.iter();
        head.extend(deliveries.map(|(name, one)| {
            let (received, expected) = (count(one.received()), plural(one.expected, "delivery"));
            page.cut_to(&format!("  {name}: {received} of {expected} received"), 0)
        }));
    }
    let verdicts = threshold_lines(run, page);
    vec![head, trouble::lines(run, page), verdicts, foot(run, page)]
}

fn families(level: &Level) -> impl Iterator<Item = (&str, &Timings)> {
    let measured = &level.measured;
    let all = [&measured.requests, &measured.round_trips];
    all.into_iter()
        .flatten()
        .map(|(name, one)| (name.as_str(), one))
}

/// Formats one line: `GET /: 3 requests, 1 failed, 1.20 to 3.40 ms`.
fn line(name: &str, one: &Timings) -> String {
    let failed = match one.failed {
        0 => String::new(),
        failed => format!(", {} failed", count(failed)),
    };
    let times = match (one.response.min(), longest(one)) {
        (Some(shortest), Some(longest)) => format!(", {} to {longest}", duration(shortest)),
        _ => String::new(),
    };
    format!("  {name}: {} ended{failed}{times}", count(one.count))
}
