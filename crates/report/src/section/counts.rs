//! Tables of iterations, checks, convergence and the script's own metrics.

use format::{Column, Row, Table, amount, count, estimate_in_full, part, share, visible};
use record::{Check, Convergence, DropCause, Iterations, Level, Metric, MetricKind, Run};

use super::timings::longest_iteration;
use super::{Block, Section, label, marked};
use crate::words;

/// Builds the table of iterations, which are calls of the scenario function.
pub(crate) fn iterations(run: &Run) -> Option<Section> {
    let titles = [
        "planned",
        "started",
        "succeeded",
        "failed",
        "unfinished",
        "dropped",
        "time p50",
        "p95",
        "p99",
        "max",
    ];
    let columns = [
        vec![Column::words("load")],
        titles.map(Column::number).to_vec(),
    ]
    .concat();
    let row = |level: &Level| {
        let all = &level.measured.iterations;
        let Iterations {
            planned,
            started,
            succeeded,
            failed,
            unfinished,
            timed_out,
            dropped,
            time,
            ..
        } = all;
        let timed = !time.is_empty() || *unfinished + timed_out > 0;
        let at = |q| timed.then(|| estimate_in_full(all.time_at(q), None));
        Row::plain(vec![
            Some(marked(level)),
            Some(count(*planned)),
            Some(count(*started)),
            Some(count(*succeeded)),
            Some(part(*failed, *started)),
            Some(part(*unfinished, *started)),
            Some(part(*dropped, *planned)),
            at(0.5),
            at(0.95),
            at(0.99),
            longest_iteration(all),
        ])
    };
    let table = Table::new(columns, run.levels.iter().map(row).collect());
    let dropped = run.levels.iter().flat_map(dropped).collect();
    Section::unless_empty(
        "Iterations",
        vec![Block::Table(table), Block::List(dropped)],
    )
}

/// Lists the causes of dropped starts.
fn dropped(level: &Level) -> Vec<String> {
    let Iterations {
        planned,
        dropped_by_cause,
        ..
    } = &level.measured.iterations;
    let causes = dropped_by_cause.iter().filter(|(_, dropped)| **dropped > 0);
    let line = |(cause, dropped): (&DropCause, &u64)| {
        let (at, why) = (label(&level.load), words::dropped(*cause));
        format!("dropped at {at}: {}: {why}", share(*dropped, *planned))
    };
    causes.map(line).collect()
}

/// Builds the table of checks.
pub(crate) fn checks(run: &Run) -> Option<Section> {
    let columns = vec![
        Column::name("check"),
        Column::words("load"),
        Column::number("held"),
        Column::number("failed"),
    ];
    let rows = by_name(
        run,
        |level| &level.measured.checks,
        |check: &Check| {
            let all = check.passed + check.failed;
            vec![Some(count(check.passed)), Some(part(check.failed, all))]
        },
    );
    Section::unless_empty("Checks", vec![Block::Table(Table::new(columns, rows))])
}

/// Builds the table of convergence: the number of groups whose members all had the same user state at the end.
pub(crate) fn converged(run: &Run) -> Option<Section> {
    let columns = vec![
        Column::name("user state"),
        Column::words("load"),
        Column::number("groups"),
        Column::number("converged"),
        Column::number("diverged"),
        Column::number("unknown"),
    ];
    let rows = by_name(
        run,
        |level| &level.measured.converged,
        |one: &Convergence| {
            let groups = one.groups();
            let cells = [one.converged, one.diverged, one.unknown];
            let head = vec![Some(count(groups))];
            let cells = cells.map(|part_of| Some(part(part_of, groups)));
            [head, cells.to_vec()].concat()
        },
    );
    Section::unless_empty("Converged", vec![Block::Table(Table::new(columns, rows))])
}

const METRIC: [&str; 9] = [
    "values", "sum", "last", "mean", "min", "p50", "p95", "p99", "max",
];

/// Builds the table of the script's own metrics.
pub(crate) fn metrics(run: &Run) -> Option<Section> {
    let head = vec![
        Column::name("metric"),
        Column::words("load"),
        Column::words("kind"),
    ];
    let columns = [head, METRIC.map(Column::number).to_vec()].concat();
    let rows = by_name(run, |level| &level.measured.metrics, metric_cells);
    Section::unless_empty("Own metrics", vec![Block::Table(Table::new(columns, rows))])
}

/// Builds the table of the script's own metrics in one level, for the terminal.
pub(crate) fn metrics_of(level: &Level) -> Table {
    let head = vec![Column::name("metric"), Column::words("kind")];
    let columns = [head, METRIC.map(Column::number).to_vec()].concat();
    let rows = level.measured.metrics.iter();
    let rows = rows.map(|(name, metric)| {
        let head = vec![Some(visible(name))];
        Row::plain([head, metric_cells(metric)].concat())
    });
    Table::new(columns, rows.collect())
}

fn metric_cells(metric: &Metric) -> Vec<Option<String>> {
    let any = metric.count > 0;
    let only = |kind: MetricKind, value: Option<f64>| {
        value.filter(|_| any && metric.kind == kind).map(amount)
    };
    let at = |q| {
        metric
            .values
            .as_ref()
            .and_then(|values| values.stated(q))
            .map(amount)
    };
    let kind = match metric.kind {
        MetricKind::Counter => "counter",
        MetricKind::Gauge => "gauge",
        MetricKind::Trend => "trend",
    };
    let spread = |value: Option<f64>| {
        value
            .filter(|_| metric.kind != MetricKind::Counter)
            .map(amount)
    };
    vec![
        Some(kind.to_owned()),
        Some(count(metric.count)),
        only(MetricKind::Counter, Some(metric.sum)),
        only(MetricKind::Gauge, metric.last),
        only(MetricKind::Trend, Some(metric.sum / metric.count as f64)),
        spread(metric.min),
        at(0.5),
        at(0.95),
        at(0.99),
        spread(metric.max),
    ]
}

/// Builds one row for each name and level, grouped by name.
fn by_name<T>(
    run: &Run,
    named: fn(&Level) -> &std::collections::BTreeMap<String, T>,
    cells: impl Fn(&T) -> Vec<Option<String>>,
) -> Vec<Row> {
    let mut rows: Vec<(&String, Row)> = Vec::new();
    for level in &run.levels {
        for (name, one) in named(level) {
            let head = vec![Some(name.clone()), Some(marked(level))];
            rows.push((name, Row::plain([head, cells(one)].concat())));
        }
    }
    rows.sort_by_key(|&(name, _)| name);
    rows.into_iter().map(|(_, row)| row).collect()
}
