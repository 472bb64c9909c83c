//! What the target's process used, and how the generator itself fared.

use record::{GeneratorUse, Level, Run, TargetUse};
use stats::Histogram;

use super::{Block, Section, label, marked};
use crate::format::{count, estimate, megabytes, millis, number, percent};
use crate::table::{Column, Row, Table};

/// One line about the target's process in a level: what was measured, and descriptors where they run out.
pub(crate) fn target_line(target: &TargetUse) -> String {
    let busiest = target.busiest_thread.as_ref();
    let short = target.descriptors.zip(target.descriptor_limit);
    let short = short.is_some_and(|(open, limit)| open >= limit / 2);
    let parts = [
        target
            .cpu_percent
            .map(|cpu| format!("CPU {}", percent(cpu))),
        busiest.map(|thread| {
            format!(
                "busiest thread {} {}",
                thread.name,
                percent(thread.cpu_percent)
            )
        }),
        memory(target).map(|memory| format!("memory {memory}")),
        descriptors(target)
            .filter(|_| short)
            .map(|open| format!("descriptors {open}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `20.1 → 25.1 MB, at most 26.0 MB`, as far as it is known.
fn memory(target: &TargetUse) -> Option<String> {
    let (start, end) = (target.memory_mb_start, target.memory_mb_end);
    let change = match (start, end) {
        (Some(start), Some(end)) => format!("{} → {} MB", number(start), number(end)),
        (start, end) => return start.or(end).or(target.memory_mb_max).map(megabytes),
    };
    // The most is news only when it lies well above both ends.
    let ends = start.into_iter().chain(end);
    let high = ends.fold(0.0, f64::max) * 1.05;
    let most = target.memory_mb_max.filter(|&most| most > high);
    Some(match most {
        Some(most) => format!("{change} (at most {})", megabytes(most)),
        None => change,
    })
}

fn descriptors(target: &TargetUse) -> Option<String> {
    let open = target.descriptors?;
    Some(match target.descriptor_limit {
        Some(limit) => format!("{} of {}", count(open), count(limit)),
        None => count(open),
    })
}

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

/// The target's process, level by level.
pub(crate) fn target(run: &Run) -> Option<Section> {
    let titles = [
        "CPU",
        "busiest thread",
        "memory at start",
        "at end",
        "at most",
        "threads",
        "descriptors",
        "connections",
        "listen overflows",
        "retransmissions",
    ];
    let head = vec![Column::words("load"), Column::words("process")];
    let columns = [head, titles.map(Column::number).to_vec()].concat();
    let rows: Vec<Row> = run.levels.iter().filter_map(target_row).collect();
    let missing = run.levels.iter().filter(|level| level.target.is_none());
    let missing: Vec<String> = missing.map(|level| label(&level.load)).collect();
    let mut notes = Vec::new();
    if !missing.is_empty() {
        notes.push(format!(
            "the target's process was not found at {}",
            missing.join(", ")
        ));
    }
    if run
        .levels
        .iter()
        .any(|level| level.shares_cores_with_target)
    {
        notes.push("target and generator ran on the same cores".to_owned());
    }
    Section::unless_empty(
        "Target",
        vec![Block::Table(Table::new(columns, rows)), Block::List(notes)],
    )
}

fn target_row(level: &Level) -> Option<Row> {
    let target = level.target.as_ref()?;
    let busiest = target.busiest_thread.as_ref();
    Some(Row::plain(vec![
        Some(marked(level)),
        Some(format!("{} (pid {})", target.name, target.pid)),
        target.cpu_percent.map(percent),
        busiest.map(|thread| format!("{} {}", thread.name, percent(thread.cpu_percent))),
        target.memory_mb_start.map(megabytes),
        target.memory_mb_end.map(megabytes),
        target.memory_mb_max.map(megabytes),
        target.threads.map(count),
        descriptors(target),
        target.connections.map(count),
        target.listen_overflows.map(count),
        target.retransmissions.map(count),
    ]))
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
