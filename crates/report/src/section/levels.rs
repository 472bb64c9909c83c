//! The table of levels, and the choice of its main figures.

use std::collections::BTreeMap;

use format::{
    Column, Row, Table, Tone, count, duration, estimate, estimate_in_full, part, rate_of, set_rate,
};
use model::Nanos;
use record::{Deliveries, Iterations, Level, Run, Timings, Validity};
use stats::{Estimate, Histogram};

use crate::section::timings::{longest, longest_iteration};
use crate::section::{error_bound, pass_rate, results_of, validity};

/// The main subject of the run. The table of levels shows its rates and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Deliveries, because the scenario has channels.
    Deliveries,
    /// Requests, because they outnumber round trips.
    Requests,
    /// Round trips, because they outnumber requests.
    RoundTrips,
    /// Iterations, because the run has no other operations.
    Iterations,
}

impl Lead {
    pub(crate) fn of(run: &Run) -> Self {
        let sum = |of: fn(&Level) -> u64| run.levels.iter().map(of).sum::<u64>();
        let requests = sum(|level| level.measured.requests.values().map(|one| one.count).sum());
        let round_trips = sum(|level| {
            level
                .measured
                .round_trips
                .values()
                .map(|one| one.count)
                .sum()
        });
        if run
            .levels
            .iter()
            .any(|level| !level.measured.deliveries.is_empty())
        {
            Self::Deliveries
        } else if round_trips > requests {
            Self::RoundTrips
        } else if requests > 0 {
            Self::Requests
        } else {
            Self::Iterations
        }
    }

    /// Title of the column of rates.
    pub(crate) fn rate_title(self) -> &'static str {
        match self {
            Self::Deliveries => "deliveries",
            Self::Requests => "requests",
            Self::RoundTrips => "round trips",
            Self::Iterations => "iterations",
        }
    }

    /// Title of the columns of times.
    pub(crate) fn times_title(self) -> &'static str {
        match self {
            Self::Deliveries => "delivery latency, from the planned sending to each receiver",
            Self::Requests | Self::RoundTrips => "response time, from the planned start",
            Self::Iterations => "iteration time, from the planned start",
        }
    }
}

/// Merges all channels of a level.
pub(crate) fn all_deliveries(level: &Level) -> Deliveries {
    let mut all = Deliveries::default();
    for one in level.measured.deliveries.values() {
        all.merge(one);
    }
    all
}

/// Merges the requests, round trips and connections of a level.
///
/// If requests or round trips are the main subject, opened connections do not count as operations. A failed connection
/// does, because it stands for the operations that it would have carried.
pub(crate) fn all_operations(level: &Level, lead: Lead) -> Timings {
    let measured = &level.measured;
    let mut all = merged(&measured.requests);
    all.merge(&merged(&measured.round_trips));
    let connections = merged(&measured.connections);
    match lead {
        Lead::Deliveries | Lead::Iterations => all.merge(&connections),
        Lead::Requests | Lead::RoundTrips => {
            all.count += connections.failed;
            all.failed += connections.failed;
        }
    }
    all
}

/// Merges the operations of one kind.
pub(crate) fn merged(family: &BTreeMap<String, Timings>) -> Timings {
    let mut all = Timings::default();
    for one in family.values() {
        all.merge(one);
    }
    all
}

/// The run's main subject in one level, with all its times.
#[derive(Debug)]
pub(crate) enum LeadTimes<'a> {
    Operations(Timings),
    Deliveries(Deliveries),
    Iterations(&'a Iterations),
}

const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

impl<'a> LeadTimes<'a> {
    pub(crate) fn of(level: &'a Level, lead: Lead) -> Self {
        match lead {
            Lead::Requests => Self::Operations(merged(&level.measured.requests)),
            Lead::RoundTrips => Self::Operations(merged(&level.measured.round_trips)),
            Lead::Deliveries => Self::Deliveries(all_deliveries(level)),
            Lead::Iterations => Self::Iterations(&level.measured.iterations),
        }
    }

    /// Number of operations or iterations that ended, or of deliveries received.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Operations(all) => all.count,
            Self::Deliveries(all) => all.received(),
            Self::Iterations(all) => all.succeeded + all.failed,
        }
    }

    /// The time limit that operations exceeded, if any did.
    pub(crate) fn limit(&self) -> Option<Nanos> {
        match self {
            Self::Operations(all) => all.timeout,
            Self::Deliveries(_) | Self::Iterations(_) => None,
        }
    }

    /// Returns quantile `q` with its interval.
    pub(crate) fn at(&self, q: f64) -> Estimate {
        match self {
            Self::Operations(all) => all.response_at(q),
            Self::Deliveries(all) => all.latency_at(q),
            Self::Iterations(all) => all.time_at(q),
        }
    }

    /// The measured times. Timeouts and operations in flight have none.
    pub(crate) fn times(&self) -> &Histogram {
        match self {
            Self::Operations(all) => &all.response,
            Self::Deliveries(all) => &all.latency,
            Self::Iterations(all) => &all.time,
        }
    }

    /// Number of operations without a known time that rank above others: timeouts, and operations in flight.
    pub(crate) fn without_end(&self) -> u64 {
        match self {
            Self::Operations(all) => all.timed_out + all.unfinished,
            Self::Deliveries(_) => 0,
            Self::Iterations(all) => all.timed_out + all.unfinished,
        }
    }

    /// Formats the longest time.
    pub(crate) fn longest(&self) -> Option<String> {
        match self {
            Self::Operations(all) => longest(all),
            Self::Deliveries(all) => all.latency.max().map(duration),
            Self::Iterations(all) => longest_iteration(all),
        }
    }
}

/// Builds the table of levels. With `in_full`, percentiles have confidence intervals.
pub(crate) fn table(run: &Run, in_full: bool) -> Table {
    let lead = Lead::of(run);
    let columns = vec![
        Column::number("planned"),
        Column::number("users"),
        Column::number("groups").minor(11),
        Column::number(lead.rate_title()),
        Column::number("p50").minor(4),
        Column::number("p95"),
        Column::number("p99").minor(1),
        Column::number("max").minor(7),
        Column::number("error"),
        Column::number("lost"),
        Column::number("late").minor(6),
        Column::number("dup.").minor(8),
        Column::number("reord.").minor(9),
        Column::number("misdel.").minor(3),
        Column::number("failed"),
        Column::number("iter. failed").minor(5),
        Column::number("unfinished").minor(2),
        Column::number("iter. unfinished").minor(2),
        Column::number("dropped").minor(2),
        Column::number("succeeded").minor(2),
        Column::words("thresholds").minor(10),
        Column::words("valid"),
    ];
    let rows = run
        .levels
        .iter()
        .map(|level| row(run, level, lead, in_full))
        .collect();
    Table::new(columns, rows)
}

fn row(run: &Run, level: &Level, lead: Lead, in_full: bool) -> Row {
    let load = &level.load;
    let times = LeadTimes::of(level, lead);
    let tell = if in_full { estimate_in_full } else { estimate };
    let [p50, p95, p99] = QUANTILES.map(|q| tell(times.at(q), times.limit()));
    let mut cells = vec![
        load.rate_per_s.map(set_rate),
        Some(match load.rate_per_s {
            Some(_) => format!("≤ {}", count(load.users)),
            None => count(load.users),
        }),
        (load.groups != load.users && load.groups > 0).then(|| count(load.groups)),
        rate_of(times.count(), level.phases.duration_s),
        Some(p50),
        Some(p95),
        Some(p99),
        times.longest(),
        // The terminal states the error bound in a sentence.
        error_bound(level).filter(|_| in_full),
    ];
    cells.extend(fates(level));
    cells.extend(shortfalls(level, lead));
    cells.push(pass_rate::succeeded(level).filter(|_| !run.is_bench()));
    cells.push(threshold_cell(run, level));
    cells.push(Some(validity(level)));
    let tone = match (level.validity(), held(run, level)) {
        (Validity::Invalid, _) => Tone::Doubtful,
        (_, Some((_, _, broken))) if broken > 0 => Tone::Bad,
        (Validity::Questionable, _) => Tone::Doubtful,
        (Validity::Valid, _) => Tone::Plain,
    };
    Row { cells, tone }
}

/// Formats the numbers of lost, late, duplicated, reordered and misdelivered deliveries. `None` without channels.
fn fates(level: &Level) -> [Option<String>; 5] {
    if level.measured.deliveries.is_empty() {
        return [const { None }; 5];
    }
    let all = all_deliveries(level);
    [
        Some(part(all.lost_count(), all.judged())),
        (all.late > 0).then(|| count(all.late)),
        Some(count(all.duplicated)),
        Some(count(all.reordered)),
        Some(count(all.misdelivered_count())),
    ]
}

/// Formats the numbers of failed, unfinished and dropped operations, and of failed and unfinished iterations. Operations
/// are those of the main subject or, if that is deliveries or iterations, all operations.
fn shortfalls(level: &Level, lead: Lead) -> [Option<String>; 5] {
    let operations = match lead {
        Lead::Requests => merged(&level.measured.requests),
        Lead::RoundTrips => merged(&level.measured.round_trips),
        Lead::Deliveries | Lead::Iterations => all_operations(level, lead),
    };
    let iterations = &level.measured.iterations;
    let unfinished = |number: u64| (number > 0).then(|| count(number));
    [
        (operations.count > 0).then(|| part(operations.failed, operations.count)),
        (iterations.failed > 0).then(|| part(iterations.failed, iterations.started)),
        unfinished(operations.unfinished),
        unfinished(iterations.unfinished),
        (iterations.dropped > 0).then(|| part(iterations.dropped, iterations.planned)),
    ]
}

/// Returns the numbers of thresholds of a level: all, those that held, and those that were broken.
fn held(run: &Run, level: &Level) -> Option<(usize, usize, usize)> {
    let results = || results_of(run, level);
    let of = |held: bool| results().filter(|result| result.held == Some(held)).count();
    let all = results().count();
    (all > 0).then(|| (all, of(true), of(false)))
}

fn threshold_cell(run: &Run, level: &Level) -> Option<String> {
    let (all, held, broken) = held(run, level)?;
    Some(match (all - held - broken, broken) {
        (0, 0) => "held".to_owned(),
        (_, 0) => format!("{held} of {all} held"),
        (_, broken) => format!("{broken} BROKEN"),
    })
}
