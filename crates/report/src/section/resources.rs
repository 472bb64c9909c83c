//! How the generator itself fared.

use record::{GeneratorUse, Level, Run};
use stats::Histogram;

use super::{Block, Section, marked};
use crate::format::{count, estimate, millis, percent};
use crate::table::{Column, Row, Table};

/// How much waiting for a CPU is worth a word.
const NOTABLE_WAIT_PERCENT: f64 = 1.0;

/// One line about the generator in a level: healthy or not, and the figures that say so.
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
                "{} arrivals not timed (the machine's clock was set)",
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
        .map(crate::format::duration)
}

fn read_delay(generator: &GeneratorUse) -> Option<String> {
    generator.read_delay.as_ref().and_then(p99)
}

/// The generator, level by level.
pub(crate) fn generator(run: &Run) -> Option<Section> {
    let titles = [
        "CPU",
        "busiest worker",
        "start lag p50",
        "p99",
        "max",
        "read delay p99",
        "waiting for a CPU",
        "longest GC pause",
        "dropped by queues",
    ];
    let columns = [
        vec![Column::words("load")],
        titles.map(Column::number).to_vec(),
        vec![Column::words("sound")],
    ]
    .concat();
    let table = Table::new(columns, run.levels.iter().map(generator_row).collect());
    Section::unless_empty("Generator", vec![Block::Table(table)])
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
        at(lag, 0.5),
        at(lag, 0.99),
        lag.max().map(crate::format::duration),
        generator
            .read_delay
            .as_ref()
            .and_then(|delay| at(delay, 0.99)),
        generator.cpu_wait_percent.map(percent),
        generator.gc_pause_ms_max.map(millis),
        (generator.dropped_queue > 0).then(|| count(generator.dropped_queue)),
        Some(if level.sound { "yes" } else { "NOT SOUND" }.to_owned()),
    ])
}
