//! The named operations of one level for the terminal.

use format::{Column, Row, Table, count, duration, estimate, part, rate_of, visible};
use record::{Level, Timings};

use super::timings::{FAMILIES, is_in_the_story, longest, slow_s, succeeded_apart};

/// The named operations of a level. Failing operations come first, then the slowest.
pub(crate) struct Operations {
    named: Vec<Operation>,
    /// Number of failing operations.
    failing: usize,
}

/// An operation with its rows, and the figures that decide its position.
struct Operation {
    /// The row of all, and below it the row of those that succeeded if others failed.
    rows: Vec<Row>,
    /// Share of operations that failed or were lost.
    failed: f64,
    /// The 95th percentile in seconds. With too few samples, the longest time.
    slow_s: f64,
}

/// Number of operations without failures that are always shown.
const SLOWEST: usize = 3;
/// Maximum number of operations that are always shown. Every operation of a target that is down fails.
const MOST_TELLING: usize = 20;

impl Operations {
    pub(crate) fn of(level: &Level) -> Self {
        let mut named: Vec<Operation> = channels(level).chain(operations(level)).collect();
        named.sort_by(|a, b| b.urgency().total_cmp(&a.urgency()));
        let failing = named.iter().filter(|one| one.failed > 0.0).count();
        Self { named, failing }
    }

    /// Returns the number of operations.
    pub(crate) fn len(&self) -> usize {
        self.named.len()
    }

    /// Returns the number of operations that are always shown: the first of those that failed, and the slowest of the
    /// others.
    pub(crate) fn telling(&self) -> usize {
        self.len().min(self.failing + SLOWEST).min(MOST_TELLING)
    }

    /// Returns the number of failing operations beyond the first `count` operations.
    pub(crate) fn failing_beyond(&self, count: usize) -> usize {
        self.failing.saturating_sub(count)
    }

    /// Whether a table shows more than the table of levels does.
    pub(crate) fn say_more(&self) -> bool {
        self.named.len() > 1 || self.named.iter().any(|one| one.rows.len() > 1)
    }

    /// Returns the number of rows of the first `count` operations.
    pub(crate) fn rows_of(&self, count: usize) -> usize {
        let first = self.named.iter().take(count);
        first.map(|one| one.rows.len()).sum()
    }

    /// Returns the number of operations that fit in `room` rows.
    pub(crate) fn fitting(&self, room: usize) -> usize {
        let fits = |count: &usize| self.rows_of(*count) <= room;
        (0..=self.named.len()).rev().find(fits).unwrap_or(0)
    }

    /// Builds the table of the first `count` operations.
    pub(crate) fn table(self, count: usize) -> Table {
        // The name, p95 and the failures remain on the narrowest terminal.
        let columns = vec![
            Column::words("type").minor(6),
            Column::name("name"),
            Column::number("count").minor(5),
            Column::number("rate").minor(2),
            Column::number("p50").minor(4),
            Column::number("p95"),
            Column::number("p99").minor(1),
            Column::number("max").minor(3),
            Column::number("lost"),
            Column::number("failed"),
        ];
        let first = self.named.into_iter().take(count);
        Table::new(columns, first.flat_map(|one| one.rows).collect())
    }
}

impl Operation {
    /// Ranks failing operations by their share of failures, and all others below them by their times.
    fn urgency(&self) -> f64 {
        const FAILING: f64 = 1e12;
        self.failed * FAILING + self.slow_s
    }
}

fn channels(level: &Level) -> impl Iterator<Item = Operation> {
    let duration_s = level.phases.duration_s;
    let channels = level.measured.deliveries.iter();
    channels.map(move |(name, one)| {
        let at = |q| Some(estimate(one.latency_at(q), None));
        let figures = [at(0.5), at(0.95), at(0.99), one.latency.max().map(duration)];
        let ends = [Some(part(one.lost_count(), one.judged())), None];
        let ended = (one.received(), duration_s);
        Operation {
            rows: vec![row(("delivery", visible(name)), ended, figures, ends)],
            failed: one.lost_count() as f64 / one.judged().max(1) as f64,
            slow_s: slow_s(one.latency_at(0.95), one.latency.max()),
        }
    })
}

fn operations(level: &Level) -> impl Iterator<Item = Operation> {
    let duration_s = level.phases.duration_s;
    let families = FAMILIES.iter();
    let families = families.filter(|(title, ..)| !is_in_the_story(level, title));
    families.flat_map(move |&(_, word, family)| {
        family(level).iter().map(move |(name, one)| {
            let all = timed((word, visible(name)), one, duration_s);
            let below = succeeded_apart(one);
            let below = below.map(|one| timed(("", "└ succeeded".to_owned()), &one, duration_s));
            Operation {
                rows: std::iter::once(all).chain(below).collect(),
                failed: one.failed as f64 / one.count.max(1) as f64,
                slow_s: slow_s(one.response_at(0.95), one.longest()),
            }
        })
    })
}

fn timed(head: (&str, String), one: &Timings, duration_s: f64) -> Row {
    let at = |q| Some(estimate(one.response_at(q), one.timeout));
    let figures = [at(0.5), at(0.95), at(0.99), longest(one)];
    let ends = [None, Some(part(one.failed, one.count))];
    row(head, (one.count, duration_s), figures, ends)
}

fn row(
    (what, name): (&str, String),
    (ended, duration_s): (u64, f64),
    figures: [Option<String>; 4],
    ends: [Option<String>; 2],
) -> Row {
    let head = [
        Some(what.to_owned()),
        Some(name),
        Some(count(ended)),
        rate_of(ended, duration_s),
    ];
    Row::plain(head.into_iter().chain(figures).chain(ends).collect())
}
