//! The short output for a run that needs no tables: one that is too small for statistics, `bench -n`, or a trace.

use std::collections::BTreeMap;

use format::{NOT_AVAILABLE, count, duration, estimate, plural, rate_of};
use record::{Deliveries, Level, Run, Timings, Validity};

use super::frame::{foot, headline, notes, setup_lines, threshold_lines};
use super::page::Page;
use super::{finding_lines, trouble};
use crate::section::levels::{all_deliveries, merged};
use crate::section::timings::longest;
use crate::section::verdict;

/// With fewer operations of each kind, rates and percentiles say little.
const FEW: u64 = 20;
/// With more names of a kind, their operations are summed up in one line.
const NAMES: usize = 4;

/// Whether the run is a single level with only a few operations, or a given number of equal requests (`bench -n`).
pub(super) fn is_enough(run: &Run) -> bool {
    let [level] = run.levels.as_slice() else {
        return false;
    };
    is_small(level) || level.load.once && run.is_bench()
}

fn is_small(level: &Level) -> bool {
    let measured = &level.measured;
    let deliveries = measured.deliveries.values().map(|one| one.expected);
    let families = [&measured.requests, &measured.round_trips].into_iter();
    let operations = families.flat_map(|family| family.values().map(|one| one.count));
    deliveries.chain(operations).sum::<u64>() < FEW && measured.funnel.steps.is_empty()
}

/// Returns the outcome and the failures of a trace. Bounds and the use of resources say nothing about one iteration.
pub(super) fn of_trace(run: &Run, page: Page) -> Vec<Vec<String>> {
    let mut head = headline(&verdict::of_trace(run), page);
    head.extend(operations(run, page));
    vec![head, trouble::problems(run, page)]
}

fn operations(run: &Run, page: Page) -> Vec<String> {
    let lines = run.levels.iter().flat_map(lines);
    lines
        .map(|line| page.cut_to(&format!("  {line}"), 0))
        .collect()
}

pub(super) fn parts(run: &Run, page: Page) -> Vec<Vec<String>> {
    let mut head = headline(&verdict::headline(run), page);
    head.extend(notes(&verdict::remarks(run), page));
    head.extend(operations(run, page));
    let verdicts = threshold_lines(run, usize::MAX, page);
    let found = finding_lines(run, page);
    let is_doubtful = |level: &Level| level.validity() != Validity::Valid;
    // Bounds and the use of resources say nothing about a few operations.
    let (failed, foot) = if run.levels.iter().all(is_small) {
        let doubtful = run.levels.iter().any(is_doubtful);
        let foot = if doubtful { foot } else { setup_lines };
        (trouble::problems(run, page), foot(run, page))
    } else {
        (trouble::lines(run, page), foot(run, page))
    };
    vec![head, found, failed, verdicts, foot]
}

/// Formats the operations and deliveries of a level, one line for each name, or for each kind with many names.
fn lines(level: &Level) -> Vec<String> {
    let measured = &level.measured;
    let duration_s = level.phases.duration_s;
    let of_family = |(title, family): (&str, &BTreeMap<String, Timings>)| match family.len() {
        0..=NAMES => {
            let each = family.iter();
            each.map(|(name, one)| line(name, one, duration_s))
                .collect()
        }
        names => vec![line(
            &format!("{title} with {names} names"),
            &merged(family),
            duration_s,
        )],
    };
    let families = [
        ("requests", &measured.requests),
        ("round trips", &measured.round_trips),
    ];
    let operations: Vec<Vec<String>> = families.map(of_family).into();
    let mut lines = operations.concat();
    match measured.deliveries.len() {
        0..=NAMES => {
            let each = measured.deliveries.iter();
            lines.extend(each.map(|(name, one)| received(name, one)));
        }
        names => lines.push(received(
            &format!("{names} channels"),
            &all_deliveries(level),
        )),
    }
    lines
}

fn received(name: &str, one: &Deliveries) -> String {
    let (received, expected) = (count(one.received()), plural(one.expected, "delivery"));
    format!("{name}: {received} of {expected} received")
}

/// Formats one line: `GET /: 300 ended, 1 failed, 60.0/s, p50 1.90 ms, p95 3.20 ms, 1.20 to 3.40 ms`.
fn line(name: &str, one: &Timings, duration_s: f64) -> String {
    let failed = (one.failed > 0).then(|| format!("{} failed", count(one.failed)));
    let rate = rate_of(one.count, duration_s).filter(|_| one.count >= FEW);
    let percentiles = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")].map(|(q, title)| {
        let value = estimate(one.response_at(q), one.timeout);
        (value != NOT_AVAILABLE).then(|| format!("{title} {value}"))
    });
    let range = match (one.response.min(), longest(one)) {
        (Some(_), Some(longest)) if one.count == 1 => Some(longest),
        (Some(shortest), Some(longest)) => Some(format!("{} to {longest}", duration(shortest))),
        _ => None,
    };
    let ended = Some(format!("{} ended", count(one.count)));
    let parts = [ended, failed, rate].into_iter().chain(percentiles);
    let parts: Vec<String> = parts.chain([range]).flatten().collect();
    format!("{name}: {}", parts.join(", "))
}
