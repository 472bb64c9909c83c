use format::{Column, Row, Table, amount, count, megabytes, percent};
use record::{TargetUse, ThreadUse};

use crate::section::Block;

/// CPU use below which a thread has no row, in percent of a core.
const IDLE_PERCENT: f64 = 1.0;
/// Maximum number of rows in a table. The record contains further processes.
const ROWS: usize = 16;

/// Returns all tables, each after a heading that names the level.
pub(super) fn all(at: &str, target: &TargetUse) -> Vec<Block> {
    let tables = [threads(target), processes(target), series(target)];
    let blocks = tables.into_iter().flatten().map(|(what, table)| {
        let heading = Block::Text(format!("{what} at {at}:"));
        [heading, Block::Table(table)]
    });
    blocks.flatten().collect()
}

/// Builds the table of the busiest threads. `None` if there is only one, because the main table shows it.
fn threads(target: &TargetUse) -> Option<(String, Table)> {
    let worth = |thread: &&ThreadUse| {
        thread.cpu_percent + thread.waiting_percent.unwrap_or(0.0) >= IDLE_PERCENT
    };
    let threads: Vec<&ThreadUse> = target.busiest_threads.iter().filter(worth).collect();
    if threads.len() < 2 {
        return None;
    }
    let columns = vec![
        Column::name("thread"),
        Column::number("id"),
        Column::number("CPU"),
        Column::number("waiting for a CPU"),
    ];
    let row = |thread: &&ThreadUse| {
        Row::plain(vec![
            Some(thread.name.clone()),
            Some(thread.tid.to_string()),
            Some(percent(thread.cpu_percent)),
            thread.waiting_percent.map(percent),
        ])
    };
    let rows = threads.iter().map(row).collect();
    Some(("the busiest threads".to_owned(), Table::new(columns, rows)))
}

/// Builds the table of processes. `None` if there is only one.
fn processes(target: &TargetUse) -> Option<(String, Table)> {
    if target.processes.len() < 2 {
        return None;
    }
    let mut processes: Vec<_> = target.processes.iter().collect();
    processes.sort_by(|a, b| b.cpu_percent.total_cmp(&a.cpu_percent));
    let columns = vec![
        Column::name("process"),
        Column::number("pid"),
        Column::number("parent"),
        Column::number("CPU"),
        Column::number("memory"),
        Column::number("threads"),
        Column::number("descriptors"),
    ];
    let rows = processes.iter().take(ROWS).map(|process| {
        Row::plain(vec![
            Some(process.name.clone()),
            Some(process.pid.to_string()),
            Some(process.parent.to_string()),
            Some(percent(process.cpu_percent)),
            Some(megabytes(process.memory_mb)),
            Some(count(process.threads)),
            process.descriptors.map(count),
        ])
    });
    let all = target.process_count.unwrap_or(processes.len() as u64);
    let heading = format!("{} processes", count(all));
    Some((heading, Table::new(columns, rows.collect())))
}

/// Builds the table of the series that the scenario records from the target's metrics endpoint.
fn series(target: &TargetUse) -> Option<(String, Table)> {
    if target.metrics.is_empty() {
        return None;
    }
    let columns = vec![
        Column::name("series"),
        Column::words("shown as"),
        Column::number("mean"),
        Column::number("min"),
        Column::number("max"),
        Column::number("increase"),
    ];
    let rows = target.metrics.iter().map(|(name, metric)| {
        Row::plain(vec![
            Some(name.clone()),
            Some(if metric.rate { "per second" } else { "value" }.to_owned()),
            metric.mean.map(amount),
            metric.min.map(amount),
            metric.max.map(amount),
            metric.increase.map(amount),
        ])
    });
    let heading = format!(
        "{} series of the target's metrics endpoint",
        count(target.metrics.len() as u64)
    );
    Some((heading, Table::new(columns, rows.collect())))
}
