//! Resource use of the generator itself.

use format::{Column, Row, Table, count, estimate, millis, percent, rate};
use record::{GeneratorUse, Level, Run};
use stats::Histogram;

use super::{Block, Section, label, marked, validity};

/// CPU wait from which it is reported, in percent of the time.
const NOTABLE_WAIT_PERCENT: f64 = 1.0;

/// Formats one line about the generator in a level.
pub(crate) fn generator_line(level: &Level) -> String {
    let generator = &level.generator;
    let wait = generator
        .cpu_wait_percent
        .filter(|&wait| wait >= NOTABLE_WAIT_PERCENT);
    let parts = [
        generator
            .cpu_percent
            .map(|cpu| format!("CPU {}", percent(cpu))),
        generator
            .busiest_worker_percent
            .map(|busy| format!("busiest worker {}", percent(busy))),
        p99(&generator.start_lag).map(|lag| format!("start lag p99 {lag}")),
        read_delay(generator).map(|delay| format!("read delay p99 {delay}")),
        (generator.implausible_stamps > 0).then(|| {
            format!(
                "{} sampled reads without a usable kernel timestamp (the machine's clock was set)",
                count(generator.implausible_stamps)
            )
        }),
        wait.map(|wait| format!("waiting for a CPU {}", percent(wait))),
        (generator.dropped_queue > 0).then(|| {
            format!(
                "{} unread messages discarded",
                count(generator.dropped_queue)
            )
        }),
        level
            .shares_cores_with_target
            .then(|| "shares its cores with the target".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn p99(times: &Histogram) -> Option<String> {
    stats::estimate(times, 0, 0.99)
        .value()
        .map(format::duration)
}

fn read_delay(generator: &GeneratorUse) -> Option<String> {
    generator.read_delay.as_ref().and_then(p99)
}

/// Builds the section about the generator, with one row per level.
pub(crate) fn generator(run: &Run) -> Option<Section> {
    let titles = [
        "CPU",
        "busiest worker",
        "all workers",
        "start lag p50",
        "p99",
        "max",
        "read delay p99",
        "waiting for a CPU",
        "of runnable time",
        "stopped by CPU quota",
        "taken by the host",
        "longest GC pause",
        "dropped from queues",
    ];
    let columns = [
        vec![Column::words("load")],
        titles.map(Column::number).to_vec(),
        vec![Column::words("valid")],
    ]
    .concat();
    let table = Table::new(columns, run.levels.iter().map(generator_row).collect());
    let laws = run.levels.iter().filter_map(littles_law).collect();
    Section::unless_empty("Generator", vec![Block::Table(table), Block::List(laws)])
}

fn generator_row(level: &Level) -> Row {
    let generator = &level.generator;
    let lag = &generator.start_lag;
    let at = |times: &Histogram, q| {
        (!times.is_empty()).then(|| estimate(stats::estimate(times, 0, q), None))
    };
    Row::plain(vec![
        Some(marked(level)),
        generator.cpu_percent.map(percent),
        generator.busiest_worker_percent.map(percent),
        (generator.workers.len() > 1).then(|| each_worker(generator)),
        at(lag, 0.5),
        at(lag, 0.99),
        lag.max().map(format::duration),
        generator
            .read_delay
            .as_ref()
            .and_then(|delay| at(delay, 0.99)),
        generator.cpu_wait_percent.map(percent),
        generator.starved_percent.map(percent),
        generator
            .throttled_ms
            .filter(|stopped| *stopped > 0.0)
            .map(millis),
        generator
            .stolen_percent
            .filter(|stolen| *stolen > 0.0)
            .map(percent),
        generator.gc_pause_ms_max.map(millis),
        (generator.dropped_queue > 0).then(|| count(generator.dropped_queue)),
        Some(validity(level)),
    ])
}

/// Formats the busy share of each worker.
fn each_worker(generator: &GeneratorUse) -> String {
    let shares = generator.workers.iter();
    let shares = shares.map(|worker| percent(worker.busy_percent));
    shares.collect::<Vec<_>>().join(", ")
}

/// Formats both sides of Little's law.
fn littles_law(level: &Level) -> Option<String> {
    let law = level.little?;
    let at = label(&level.load);
    let holds = if law.holds { "holds" } else { "DOES NOT HOLD" };
    Some(format!(
        "Little's law {holds} at {at}: {:.1} groups at work on average; {} × {} = {:.1}.",
        law.at_work,
        rate(law.per_s),
        millis(law.time_s * 1000.0),
        law.per_s * law.time_s
    ))
}
