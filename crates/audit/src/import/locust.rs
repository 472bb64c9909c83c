//! Reads Locust's CSV files: `_stats.csv` (requests), `_stats_history.csv` (users over time) and `_failures.csv`.
//! Together they form one result. Percentiles are rounded to two digits, or to whole milliseconds below 100 ms. Other
//! times are not rounded.

use super::csv_table::CsvTable;
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Results, Row, Times};

const FORM: &str = "Locust CSV";

pub(super) fn is(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    kind(first).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stats,
    History,
    Failures,
    /// Exceptions in the users' code, without figures about requests.
    Exceptions,
    /// Percentiles, which versions before 1.0 write to a separate file.
    Distribution,
}

impl Kind {
    /// The suffixes of the file names that Locust writes.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Stats => &["_stats.csv", "_requests.csv"],
            Self::History => &["_stats_history.csv"],
            Self::Failures => &["_failures.csv"],
            Self::Exceptions => &["_exceptions.csv"],
            Self::Distribution => &["_distribution.csv"],
        }
    }
}

fn kind(header: &str) -> Option<Kind> {
    let plain = header.replace('"', "").replace([';', '\t'], ",");
    let starts = |start: &str| plain.starts_with(start);
    let counts = plain.contains("Request Count") || plain.contains("# requests");
    if starts("Type,Name,Timestamp,") {
        Some(Kind::History) // of 0.13 and 0.14, without the users
    } else if (starts("Type,Name,") || starts("Method,Name,")) && counts {
        Some(Kind::Stats)
    } else if starts("Timestamp,User Count,") {
        Some(Kind::History)
    } else if starts("Method,Name,Error,Occurrences") {
        Some(Kind::Failures)
    } else if starts("Count,Message,Traceback,Nodes") {
        Some(Kind::Exceptions)
    } else if starts("Name,# requests,50%") {
        Some(Kind::Distribution)
    } else {
        None
    }
}

/// Returns one result per run. Empty without files.
pub(super) fn read(files: &[Source<'_>]) -> Result<Vec<Results>, ImportError> {
    let known = |source: &Source<'_>| kind(source.text.lines().next().unwrap_or_default());
    let is_stats = |source: &&Source<'_>| known(source) == Some(Kind::Stats);
    let runs: Vec<&str> = files.iter().filter(is_stats).map(run_of).collect();
    if runs.len() < 2 {
        return Ok(run(files)?.into_iter().collect());
    }
    // If there are several runs, files with the same name prefix belong together.
    if let Some(stray) = files.iter().find(|file| !runs.contains(&run_of(file))) {
        let why = "its run cannot be seen from the file name: keep Locust's endings (`_stats.csv`, `_failures.csv`)";
        return Err(stray.broken(FORM, why));
    }
    let of = |name: &str| -> Vec<Source<'_>> {
        let same = files.iter().filter(|file| run_of(file) == name);
        same.copied().collect()
    };
    let each: Result<Vec<Option<Results>>, ImportError> =
        runs.into_iter().map(|name| run(&of(name))).collect();
    Ok(each?.into_iter().flatten().collect())
}

/// Returns the prefix of a file name: `night` for `night_stats.csv`.
fn run_of<'a>(source: &Source<'a>) -> &'a str {
    let kind = kind(source.text.lines().next().unwrap_or_default());
    let endings = kind.map_or(&[] as &[&str], Kind::endings);
    let shorter = endings
        .iter()
        .find_map(|ending| source.name.strip_suffix(ending));
    shorter.unwrap_or(source.name)
}

fn run(files: &[Source<'_>]) -> Result<Option<Results>, ImportError> {
    let Some(first) = files.first() else {
        return Ok(None);
    };
    let mut level = Level {
        name: "run".to_owned(),
        at: first.name.to_owned(),
        ..Level::default()
    };
    let mut spread = Vec::new();
    for source in files {
        let table = CsvTable::read(*source, FORM)?;
        match kind(source.text.lines().next().unwrap_or_default()) {
            Some(Kind::Stats) => stats(*source, &table, &mut level),
            Some(Kind::History) => history(*source, &table, &mut level),
            Some(Kind::Distribution) => spread.push((*source, table)),
            Some(Kind::Failures) => failures(*source, &table, &mut level),
            Some(Kind::Exceptions) | None => {}
        }
    }
    for (source, table) in &spread {
        distribution(*source, table, &mut level);
    }
    let mut results = first.results(FORM);
    results.levels.push(level);
    if results.is_empty()
        && files
            .iter()
            .all(|file| kind(file.text.lines().next().unwrap_or_default()) != Some(Kind::Failures))
    {
        return Err(first.broken(FORM, "it contains no figures"));
    }
    Ok(Some(results))
}

fn stats(source: Source<'_>, table: &CsvTable, level: &mut Level) {
    for (line, record) in &table.rows {
        let mut row = row(source, table, (*line, record), "");
        let name = table.columns.text(record, "Name").unwrap_or_default();
        let either = |new: &str, old: &str| {
            table
                .columns
                .text(record, new)
                .or_else(|| table.columns.text(record, old))
        };
        let method = either("Type", "Method").unwrap_or_default();
        let kinds = std::mem::take(&mut level.total.counts.failures);
        if name == "Aggregated" || name == "Total" {
            row.counts.failures = kinds;
            level.total = row;
        } else {
            level.total.counts.failures = kinds;
            format!("{method} {name}").trim().clone_into(&mut row.name);
            level.rows.push(row);
        }
    }
}

fn row(
    source: Source<'_>,
    table: &CsvTable,
    (line, record): (u64, &csv::StringRecord),
    prefix: &str,
) -> Row {
    let at = format!("{}:{line}", source.name);
    let number = |column: &str| table.columns.number(record, &format!("{prefix}{column}"));
    let figure = |column: &str, slack: f64| {
        number(column).map(|value| Figure::rounded(value, slack, at.clone()))
    };
    let either =
        |new: &str, old: &str, slack: f64| figure(new, slack).or_else(|| figure(old, slack));
    let sent = either("Request Count", "# requests", 0.0);
    let failed = either("Failure Count", "# failures", 0.0);
    let nothing = sent.as_ref().is_none_or(|sent| sent.value == 0.0);
    // Versions before 1.0 rounded times to whole milliseconds.
    let old = table.columns.names().any(|column| column == "# requests");
    let slack = if old { 1.0 } else { 1e-6 };
    let times = Times {
        min: either("Min Response Time", "Min response time", slack),
        mean: either("Average Response Time", "Average response time", slack),
        max: either("Max Response Time", "Max response time", slack),
        percentiles: percentiles(table, record, &at),
        samples: sent.clone(),
        fixed_list: true,
        ..Times::default()
    };
    Row {
        at: at.clone(),
        counts: Counts {
            ok: sent
                .as_ref()
                .zip(failed.as_ref())
                .map(|(sent, failed)| Figure::exact(sent.value - failed.value, at.clone())),
            sent,
            failed,
            ..Counts::default()
        },
        rate_per_s: figure("Requests/s", 0.0),
        times: if nothing { Times::default() } else { times },
        ..Row::default()
    }
}

fn percentiles(table: &CsvTable, record: &csv::StringRecord, at: &str) -> Vec<(f64, Figure)> {
    let mut found: Vec<(f64, Figure)> = table
        .columns
        .names()
        .filter_map(|column| {
            let percent: f64 = column.strip_suffix('%')?.parse().ok()?;
            let value = table
                .columns
                .number(record, column)
                .filter(|_| percent < 100.0)?;
            Some((
                percent / 100.0,
                Figure::rounded(value, rounded_to(value), at),
            ))
        })
        .collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found
}

/// Returns half of the rounding step. Values just below a power of ten may be rounded up to it; they have the smaller
/// step.
fn rounded_to(value: f64) -> f64 {
    match value {
        _ if value < 100.0 => 0.5,
        _ if value < 1000.0 => 5.0,
        _ if value < 10_000.0 => 50.0,
        _ => 500.0,
    }
}

/// Adds the percentiles to the rows with the same names.
fn distribution(source: Source<'_>, table: &CsvTable, level: &mut Level) {
    for (line, record) in &table.rows {
        let name = table.columns.text(record, "Name").unwrap_or_default();
        let rows = level.rows.iter_mut().find(|row| row.name == name.trim());
        let row = match name {
            "Total" | "Aggregated" | "None Total" | "None Aggregated" => Some(&mut level.total),
            _ => rows,
        };
        if let Some(row) = row.filter(|row| !row.times.is_empty()) {
            row.times.percentiles = percentiles(table, record, &format!("{}:{line}", source.name));
        }
    }
}

/// Takes the largest number of users in the history.
fn history(source: Source<'_>, table: &CsvTable, level: &mut Level) {
    let whole = table.rows.iter().filter(|(_, record)| {
        matches!(
            table.columns.text(record, "Name"),
            Some("Aggregated" | "Total")
        )
    });
    let counts = whole
        .filter_map(|(line, record)| Some((*line, table.columns.number(record, "User Count")?)));
    let most = counts.reduce(|most, next| if next.1 > most.1 { next } else { most });
    // A short run may end before Locust writes a number of users.
    let most = most.filter(|(_, users)| *users > 0.0);
    level.users = most.map(|(line, users)| Figure::exact(users, format!("{}:{line}", source.name)));
}

fn failures(source: Source<'_>, table: &CsvTable, level: &mut Level) {
    for (line, record) in &table.rows {
        let error = table
            .columns
            .text(record, "Error")
            .unwrap_or("failed")
            .to_owned();
        if let Some(count) = table.columns.number(record, "Occurrences") {
            let figure = Figure::exact(count, format!("{}:{line}", source.name));
            level.total.counts.failures.push((error, figure));
        }
    }
}
