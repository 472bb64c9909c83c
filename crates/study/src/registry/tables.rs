//! The tables of the registry study.

use record::{Level, Timings};
use stats::Histogram;

use super::buckets;
use super::field::{FieldRow, REGISTRY};
use super::figures::{bursts, levels, operation, receivers, to_the_last};
use super::parts::Parts;
use crate::figures::{cpu, deliveries, millis, millis_of, remark, validity};
use crate::table::Table;
use format::{NOT_AVAILABLE, number, whole};

/// The report's rate with 100, 1,000 and 3,000 receivers.
pub(super) fn mixes_in_short(parts: &Parts<'_>) -> Table {
    let rows = parts.mixes().map(Some).flat_map(levels).map(|level| {
        let all = deliveries(level);
        let mut cells = vec![count(receivers(&all))];
        cells.extend(fates(level));
        cells.extend([
            to_the_last(&all, 0.5),
            to_the_last(&all, 0.95),
            p95(level, "register"),
            p95(level, "enumerate"),
            cpu(level),
            remark(level),
        ]);
        cells
    });
    Table::new(
        &[
            "receivers",
            "expected",
            "delivered",
            "lost",
            "to the last: p50 ms",
            "p95 ms",
            "register p95 ms",
            "enumerate p95 ms",
            "CPU",
            "",
        ],
        rows.collect(),
    )
}

pub(super) fn mixes_in_full(parts: &Parts<'_>) -> Table {
    let rows = parts.mixes().map(Some).flat_map(levels).map(|level| {
        let all = deliveries(level);
        let mut cells = vec![count(receivers(&all)), whole(all.messages as f64)];
        cells.extend(fates(level));
        cells.extend([
            all.late.to_string(),
            all.duplicated.to_string(),
            all.misdelivered_count().to_string(),
            millis(all.latency_at(0.5)),
            millis(all.latency_at(0.95)),
            millis(all.latency_at(0.99)),
            to_the_last(&all, 0.5),
            to_the_last(&all, 0.95),
            to_the_last(&all, 0.99),
            p95(level, "register"),
            p95(level, "enumerate"),
            p95(level, "multicast"),
            cpu(level),
            busy(level),
            validity(level),
        ]);
        cells
    });
    Table::new(
        &[
            "receivers",
            "multicasts",
            "expected",
            "delivered",
            "lost",
            "late",
            "duplicated",
            "misdelivered",
            "to each: p50",
            "p95",
            "p99 ms",
            "to the last: p50",
            "p95",
            "p99 ms",
            "register p95 ms",
            "enumerate p95 ms",
            "multicast p95 ms",
            "CPU registry",
            "generator",
            "valid",
        ],
        rows.collect(),
    )
}

/// The operations of the report beside the same test here, and beside the test with receivers.
pub(super) fn operations(parts: &Parts<'_>) -> Table {
    let rows = REGISTRY.iter().map(|row| {
        let mut cells = vec![row.operation.to_owned()];
        cells.extend(published(row));
        for run in [parts.report, parts.mix3000] {
            match levels(run).next() {
                Some(level) => cells.extend(times(&operation(level, row.operation))),
                None => cells.extend(["not measured", "", "", ""].map(str::to_owned)),
            }
        }
        cells
    });
    Table::new(
        &[
            "operation",
            "report: p50",
            "p95",
            "p99",
            "max ms",
            "here, nobody receives: p50",
            "p95",
            "p99",
            "max ms",
            "here, 3,000 receive: p50",
            "p95",
            "p99",
            "max ms",
        ],
        rows.collect(),
    )
}

fn published(row: &FieldRow) -> [String; 4] {
    [row.p50_ms, row.p95_ms, row.p99_ms, row.max_ms].map(number)
}

fn times(timings: &Timings) -> [String; 4] {
    let at = |q| millis(timings.response_at(q));
    [at(0.5), at(0.95), at(0.99), millis_of(timings.longest())]
}

/// Our own times, as they are and as the report's histogram prints them.
pub(super) fn histograms(parts: &Parts<'_>) -> Table {
    let mut rows = Vec::new();
    let named = [
        ("nobody receives", parts.report),
        ("3,000 receivers", parts.mix3000),
        ("overload", parts.overload),
    ];
    for (name, run) in named {
        for level in levels(run) {
            let rate = level.load.rate_per_s.map_or(String::new(), whole);
            for one in &REGISTRY {
                let timings = operation(level, one.operation);
                let load = format!("{name}, {rate}/s");
                let row = histogram(load, one.operation, &timings.response);
                rows.extend(row);
            }
        }
    }
    Table::new(
        &[
            "load",
            "operation",
            "true mean",
            "p50",
            "p95",
            "p99",
            "max ms",
            "its histogram: p50",
            "p95",
            "p99 ms",
            "times from 50 ms on",
        ],
        rows,
    )
}

fn histogram(load: String, operation: &str, times: &Histogram) -> Option<Vec<String>> {
    let mut cells = vec![load, operation.to_owned(), millis_of(times.mean())];
    cells.extend([0.5, 0.95, 0.99].map(|q| millis_of(times.quantile(q))));
    cells.push(millis_of(times.max()));
    cells.extend([0.5, 0.95, 0.99].map(|q| millis_of(buckets::quantile(times, q))));
    cells.push(whole(buckets::clipped(times) as f64));
    (!times.is_empty()).then_some(cells)
}

/// The rising rates.
pub(super) fn rates(parts: &Parts<'_>) -> Table {
    let all = levels(parts.ramp).chain(levels(parts.overload));
    let rows = all.map(|level| {
        let all = deliveries(level);
        let iterations = &level.measured.iterations;
        let asked = all.expected as f64 / level.phases.duration_s;
        let mut cells = vec![
            count(receivers(&all)),
            level.load.rate_per_s.map_or(String::new(), whole),
            whole(iterations.started as f64),
            whole(iterations.dropped as f64),
            whole((iterations.failed + iterations.unfinished) as f64),
            whole(asked),
        ];
        cells.extend(fates(level));
        cells.extend([
            to_the_last(&all, 0.95),
            p95(level, "register"),
            p95(level, "enumerate"),
            cpu(level),
            busy(level),
            remark(level),
        ]);
        cells
    });
    Table::new(
        &[
            "receivers",
            "operations/s",
            "started",
            "dropped",
            "failed",
            "deliveries/s",
            "expected",
            "delivered",
            "lost",
            "to the last: p95 ms",
            "register p95 ms",
            "enumerate p95 ms",
            "CPU",
            "generator",
            "",
        ],
        rows.collect(),
    )
}

/// The bursts, each with the silence after it.
pub(super) fn in_bursts(parts: &Parts<'_>) -> Table {
    let optional = |value: Option<f64>| value.map_or(NOT_AVAILABLE.to_owned(), number);
    let all = levels(parts.burst).flat_map(bursts);
    let rows = all.zip(1..).map(|(burst, number)| {
        let interrupted = if burst.is_interrupted {
            " (interrupted)"
        } else {
            ""
        };
        vec![
            format!("burst {number}{interrupted}"),
            whole(burst.requests as f64),
            burst.failed.to_string(),
            whole(burst.deliveries as f64),
            optional(burst.worst_p95_ms),
            optional(burst.longest_ms),
        ]
    });
    Table::new(
        &[
            "",
            "operations",
            "failed",
            "deliveries",
            "p95 of the slowest second, ms",
            "longest ms",
        ],
        rows.collect(),
    )
}

fn fates(level: &Level) -> [String; 3] {
    let all = deliveries(level);
    [
        whole(all.expected as f64),
        whole(all.delivered as f64),
        whole(all.lost_count() as f64),
    ]
}

fn p95(level: &Level, name: &str) -> String {
    millis(operation(level, name).response_at(0.95))
}

fn count(value: Option<u64>) -> String {
    value.map_or(NOT_AVAILABLE.to_owned(), |value| whole(value as f64))
}

fn busy(level: &Level) -> String {
    let busiest = level.generator.busiest_worker_percent;
    busiest.map_or(NOT_AVAILABLE.to_owned(), |busy| format!("{busy:.0} %"))
}
