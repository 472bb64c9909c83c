//! Resource use of the target's own process in each level.

mod notes;
mod tables;

use format::{Column, Row, Table, count, megabytes, number, percent};
use record::{Level, Run, TargetSource, TargetUse};

use super::{Block, Section, label, marked};

/// Formats the target: `editor (pid 4711, Go 1.22.1)`. The process ID is omitted if only the target's metrics endpoint
/// is known.
pub(crate) fn name(target: &TargetUse) -> String {
    let place = if target.source == Some(TargetSource::Prometheus) {
        "by its metrics endpoint".to_owned()
    } else {
        format!("pid {}", target.pid)
    };
    let runtime = target.runtime.iter().chain(&target.runtime_version);
    let runtime = runtime.map(String::as_str).collect::<Vec<_>>().join(" ");
    if runtime.is_empty() {
        format!("{} ({place})", target.name)
    } else {
        format!("{} ({place}, {runtime})", target.name)
    }
}

/// Summarises the target's process in a level in one line: why it ended, its resource use, and which limits it nearly
/// reached.
pub(crate) fn line(target: &TargetUse) -> String {
    let busiest = target.busiest_thread.as_ref();
    let used = descriptors_used_percent(target).unwrap_or(0.0);
    let queue = target.listen_queue.filter(|queue| queue.full > 0);
    let parts = [
        target.ends.first().map(notes::end_in_short),
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
        target
            .busy_threads
            .filter(|&busy| busy > 1)
            .map(|busy| format!("{busy} threads busy")),
        memory(target).map(|memory| format!("memory {memory}")),
        queue.map(|_| "listen queue full".to_owned()),
        descriptors(target)
            .filter(|_| used >= 50.0)
            .map(|open| format!("descriptors {open}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Formats the known memory figures: `20.1 → 25.1 MB (max 26.0 MB)`.
fn memory(target: &TargetUse) -> Option<String> {
    let (start, end) = (target.memory_mb_start, target.memory_mb_end);
    let change = match (start, end) {
        (Some(start), Some(end)) => format!("{} → {} MB", number(start), number(end)),
        (start, end) => return start.or(end).or(target.memory_mb_max).map(megabytes),
    };
    // The maximum is shown only if it is well above the memory at both ends.
    let ends = start.into_iter().chain(end);
    let high = ends.fold(0.0, f64::max) * 1.05;
    let most = target.memory_mb_max.filter(|&most| most > high);
    Some(match most {
        Some(most) => format!("{change} (max {})", megabytes(most)),
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

fn descriptors_used_percent(target: &TargetUse) -> Option<f64> {
    let limit = target.descriptor_limit.filter(|limit| *limit > 0);
    target
        .descriptors_used_percent
        .or_else(|| Some(target.descriptors? as f64 * 100.0 / limit? as f64))
}

/// Builds the section about the target's process, with one row per level.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let titles = [
        "CPU",
        "busiest thread",
        "busy threads",
        "memory at start",
        "at end",
        "max",
        "threads",
        "descriptors",
        "connections",
        "listen queue",
        "listen overflows",
        "retransmissions",
    ];
    let head = vec![Column::words("load"), Column::words("process")];
    let columns = [head, titles.map(Column::number).to_vec()].concat();
    let rows: Vec<Row> = run.levels.iter().filter_map(row).collect();
    let mut blocks = vec![
        Block::Table(Table::new(columns, rows)),
        Block::List(notes::all(run)),
    ];
    let mut last = run.levels.iter().rev();
    if let Some((level, target)) = last.find_map(|level| Some((level, level.target.as_ref()?))) {
        blocks.extend(tables::all(&label(&level.load), target));
    }
    Section::unless_empty("Target", blocks)
}

fn row(level: &Level) -> Option<Row> {
    let target = level.target.as_ref()?;
    let busiest = target.busiest_thread.as_ref();
    let queue = target.listen_queue.map(|queue| match queue.limit {
        Some(limit) => format!("{} of {}", count(queue.longest), count(limit)),
        None => count(queue.longest),
    });
    Some(Row::plain(vec![
        Some(marked(level)),
        Some(name(target)),
        target.cpu_percent.map(percent),
        busiest.map(|thread| format!("{} {}", thread.name, percent(thread.cpu_percent))),
        target.busy_threads.map(count),
        target.memory_mb_start.map(megabytes),
        target.memory_mb_end.map(megabytes),
        target.memory_mb_max.map(megabytes),
        target.threads.map(count),
        descriptors(target),
        target.connections.map(count),
        queue,
        target.listen_overflows.map(count),
        target.retransmissions.map(count),
    ]))
}
