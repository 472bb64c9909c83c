//! The step funnel: the number of iterations that reached and passed each step, and the first failures.

use format::{Column, Row, Table, count, duration, estimate, estimate_in_full, part, plural};
use model::{FaultKind, Side};
use record::{Example, FirstFailure, FunnelStep, Level, Run, path_name};
use stats::Estimate;

use super::failures::circumstances;
use super::timings::slow_s;
use super::{Block, Section, label, marked};

/// Explanation of the columns of times.
const TIMES: &str = "Percentiles cover every iteration that began the step in the measured time (`measured`). Failures, \
    timeouts and unfinished iterations rank as slowest. Times until a failure have a separate \
    column.";

/// Builds the full section. Steps are in the order in which iterations reach them, and each step has its levels in
/// consecutive rows.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let rows = names(run).into_iter().flat_map(|name| {
        run.levels.iter().filter_map(move |level| {
            let step = level.measured.funnel.steps.iter();
            let step = step.into_iter().find(|step| told(step) == name)?;
            let load = vec![Some(name.clone()), Some(marked(level))];
            Some(Row::plain([load, cells(level, step, true)].concat()))
        })
    });
    let columns = [vec![Column::name("step"), Column::words("load")], columns()];
    let table = Table::new(columns.concat(), rows.collect());
    let about = if table.is_empty() { "" } else { TIMES };
    let blocks = vec![
        Block::Text(about.to_owned()),
        Block::Table(table),
        Block::Table(causes(run)),
        Block::List(unfinished(run)),
    ];
    Section::unless_empty("Steps and first failures", blocks)
}

/// Builds the table of the steps of one level for the terminal, in the order in which iterations reach them. If not all
/// fit in `room` rows, the most telling are shown.
pub(crate) fn of_level(level: &Level, room: usize) -> Table {
    let steps = most_telling(&level.measured.funnel.steps, room);
    let row = |step: &FunnelStep| {
        let name = format::visible(&told(step));
        Row::plain([vec![Some(name)], cells(level, step, false)].concat())
    };
    let columns = [vec![Column::name("step")], columns()].concat();
    Table::new(columns, steps.into_iter().map(row).collect())
}

/// Selects up to `room` steps. Steps with failures or unfinished iterations, the last step and the slowest steps are
/// always shown.
fn most_telling(steps: &[FunnelStep], room: usize) -> Vec<&FunnelStep> {
    const SLOWEST: usize = 3;
    let mut shown: Vec<(usize, &FunnelStep)> = steps.iter().enumerate().collect();
    let last = steps.len().saturating_sub(1);
    let fails = |step: &FunnelStep| step.failed + step.unfinished > 0;
    let slow_s = |step: &FunnelStep| slow_s(step.time_at(0.95), step.passed_time.max());
    shown.sort_by(|(_, a), (_, b)| slow_s(b).total_cmp(&slow_s(a)));
    shown.sort_by_key(|(at, step)| (!fails(step), *at != last));
    let failing = shown.iter().filter(|(_, step)| fails(step)).count();
    // If the last step failed, it is one of the failing.
    let ahead = failing + usize::from(steps.last().is_some_and(|step| !fails(step)));
    shown.truncate(room.max(ahead + SLOWEST));
    shown.sort_by_key(|(at, _)| *at);
    shown.into_iter().map(|(_, step)| step).collect()
}

/// Returns the name of a step, with the step's scenario if the run mixes several scenarios.
pub(crate) fn told(step: &FunnelStep) -> String {
    match &step.scenario {
        Some(scenario) => format!("{scenario}: {}", step.name()),
        None => step.name(),
    }
}

/// Returns the steps of all levels in order. A step that only one level has is placed where that level reaches it.
fn names(run: &Run) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for level in &run.levels {
        let mut next = 0;
        for step in &level.measured.funnel.steps {
            let name = told(step);
            let known = names.iter().position(|known| *known == name);
            if known.is_none() {
                names.insert(next, name);
            }
            next = known.unwrap_or(next) + 1;
        }
    }
    names
}

/// The step, p95 and the failures remain on the narrowest terminal.
fn columns() -> Vec<Column> {
    vec![
        Column::number("reached").minor(1),
        Column::number("measured").minor(8),
        Column::number("passed").minor(5),
        Column::number("with failures").minor(6),
        Column::number("failed"),
        Column::number("unfinished").minor(2),
        Column::number("p50").minor(3),
        Column::number("p95"),
        Column::number("p99").minor(7),
        Column::number("max passed").minor(9),
        Column::number("failed after").minor(10),
        Column::number("timed out").minor(4),
    ]
}

fn cells(level: &Level, step: &FunnelStep, in_full: bool) -> Vec<Option<String>> {
    let some = |number: u64| (number > 0).then(|| count(number));
    let at = |q| Some(time(step, step.time_at(q), in_full));
    vec![
        Some(reached(level, step)),
        some(step.begun).filter(|_| step.begun != step.reached),
        Some(count(step.passed)),
        some(step.passed_with_failures),
        Some(part(step.failed, step.reached)),
        some(step.unfinished),
        at(0.5),
        at(0.95),
        at(0.99).filter(|_| in_full),
        step.passed_time.max().map(duration),
        failed_after(step),
        step.timeout
            .map(|limit| format!("{} (> {})", count(step.timed_out), duration(limit))),
    ]
}

/// Formats how many of the started iterations reached the step: `15 of 16`. In a mix, only iterations of the step's
/// scenario count.
fn reached(level: &Level, step: &FunnelStep) -> String {
    format!("{} of {}", count(step.reached), count(started(level, step)))
}

/// Returns the number of started iterations, of the step's scenario in a mix.
pub(crate) fn started(level: &Level, step: &FunnelStep) -> u64 {
    let measured = &level.measured;
    let of = step.scenario.as_ref();
    let of = of.and_then(|scenario| measured.scenarios.get(scenario));
    of.unwrap_or(&measured.iterations).started
}

fn time(step: &FunnelStep, at: Estimate, in_full: bool) -> String {
    let others = step.begun.saturating_sub(step.passed_time.count());
    match at {
        Estimate::Beyond { at_least: None } if step.timed_out < others => "not passed".to_owned(),
        at if in_full => estimate_in_full(at, step.timeout),
        at => estimate(at, step.timeout),
    }
}

/// Formats the shortest and longest times until the step failed.
fn failed_after(step: &FunnelStep) -> Option<String> {
    let (min, max) = (step.failed_time.min()?, step.failed_time.max()?);
    if min == max {
        return Some(duration(min));
    }
    Some(format!("{}–{}", duration(min), duration(max)))
}

/// A first failure, with the number of affected iterations in each level.
#[derive(Clone, Debug)]
pub(crate) struct First<'a> {
    cause: &'a FirstFailure,
    /// For each level: its name, the iterations that failed, and those that succeeded despite the failure.
    levels: Vec<(String, u64, u64)>,
}

impl First<'_> {
    fn total(&self) -> u64 {
        let each = self.levels.iter();
        each.map(|(_, failed, succeeded)| failed + succeeded).sum()
    }

    /// Returns the name of the step, or a note that the failure was outside all steps.
    fn step(&self) -> String {
        let step = self.cause.step.as_deref();
        step.map_or_else(|| "outside the steps".to_owned(), path_name)
    }

    /// Formats the kind of the failure: `HTTP status 500`, `timed out`.
    fn kind(&self) -> String {
        match (self.cause.kind, self.cause.status) {
            (FaultKind::Status, Some(status)) => format!("HTTP status {status}"),
            (kind, _) => kind.to_string(),
        }
    }

    /// Formats the counts: `3 iterations failed, 1 iteration succeeded nevertheless at 50 users`. Of many levels, only
    /// the first two and the last are shown.
    fn counts(&self) -> String {
        let each = self.levels.iter();
        let one = |(at, failed, succeeded): &(String, u64, u64)| {
            let failed = (*failed > 0).then(|| format!("{} failed", plural(*failed, "iteration")));
            let succeeded = (*succeeded > 0)
                .then(|| format!("{} succeeded nevertheless", plural(*succeeded, "iteration")));
            let told: Vec<String> = failed.into_iter().chain(succeeded).collect();
            format!("{} {at}", told.join(", "))
        };
        let mut told: Vec<String> = each.map(one).collect();
        if told.len() > 4 {
            let last = told.len() - 1;
            told.splice(2..last, ["…".to_owned()]);
        }
        told.join(", ")
    }

    /// Formats one line: `select: HTTP status 500, POST /offers/:id/select: 2 iterations failed at 16 users`.
    pub(crate) fn line(&self) -> String {
        let what = match self.cause.what.as_str() {
            "" => &self.cause.first.detail,
            what => what,
        };
        format!(
            "{}: {}, {what}: {}",
            self.step(),
            self.kind(),
            self.counts()
        )
    }

    pub(crate) fn side(&self) -> Side {
        self.cause.side
    }

    fn first(&self) -> &Example {
        &self.cause.first
    }
}

/// Returns all first failures of a run, the most frequent first.
pub(crate) fn firsts(run: &Run) -> Vec<First<'_>> {
    let mut all: Vec<First<'_>> = Vec::new();
    for level in &run.levels {
        let at = format!("at {}", label(&level.load));
        for cause in &level.measured.funnel.first_failures {
            let counted = (at.clone(), cause.failed, cause.succeeded);
            match all.iter_mut().find(|known| is_same(known.cause, cause)) {
                Some(known) => known.levels.push(counted),
                None => all.push(First {
                    cause,
                    levels: vec![counted],
                }),
            }
        }
    }
    all.sort_by_key(|first| std::cmp::Reverse(first.total()));
    all
}

fn is_same(one: &FirstFailure, other: &FirstFailure) -> bool {
    let key = |cause: &FirstFailure| (cause.side, cause.kind, cause.status);
    key(one) == key(other) && one.step == other.step && one.what == other.what
}

fn causes(run: &Run) -> Table {
    let columns = vec![
        Column::name("failed first in"),
        Column::words("side"),
        Column::words("kind"),
        Column::name("where"),
        Column::words("iterations"),
        Column::words("first example"),
        Column::words("time, user, step, location"),
    ];
    let row = |first: First<'_>| {
        let what = Some(first.cause.what.clone()).filter(|what| !what.is_empty());
        Row::plain(vec![
            Some(first.step()),
            Some(first.side().to_string()),
            Some(first.kind()),
            what,
            Some(first.counts()),
            Some(first.first().detail.clone()),
            Some(circumstances(first.first())),
        ])
    };
    Table::new(columns, firsts(run).into_iter().map(row).collect())
}

/// Lists the steps that unfinished iterations were in.
pub(crate) fn unfinished(run: &Run) -> Vec<String> {
    let each = run.levels.iter().flat_map(|level| {
        let at = label(&level.load);
        level.measured.funnel.unfinished.iter().map(move |left| {
            let step = left.step.as_deref();
            let step = step.map_or_else(
                || "outside the steps".to_owned(),
                |path| format!("in {}", path_name(path)),
            );
            format!("{} unfinished at {at}, {step}", count(left.count))
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_room_is_short_the_steps_that_failed_the_last_and_the_slowest_are_shown() {
        let step = |name: &str, failed, ms| {
            let mut step = FunnelStep {
                path: vec![name.to_owned()],
                failed,
                begun: 10,
                ..FunnelStep::default()
            };
            step.passed_time.record(model::Nanos::from_millis(ms));
            step
        };
        let steps = [
            step("ask", 0, 1),
            step("offer", 0, 30),
            step("select", 3, 2),
            step("list", 0, 3),
            step("pay", 0, 50),
            step("reserve", 1, 4),
            step("wait", 0, 40),
            step("confirm", 0, 5),
        ];
        let names = |room| -> Vec<String> {
            let shown = most_telling(&steps, room);
            shown.into_iter().map(FunnelStep::name).collect()
        };
        assert_eq!(
            names(2),
            ["offer", "select", "pay", "reserve", "wait", "confirm"]
        );
        assert_eq!(names(9).len(), 8);
        assert!(most_telling(&[], 3).is_empty());
    }
}
