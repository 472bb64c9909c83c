//! The work of `setup` before the first level. No level's figures include it.

use format::{
    Column, Row, Table, count, duration, estimate_in_full, part, plural, rate_of, seconds,
};
use model::Nanos;
use record::{Failure, Level, Pool, Run, Setup, Timings};

use super::timings::longest;
use super::{Block, Section, label};

/// Builds the full section.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let setup = run.setup.as_ref()?;
    let text = "No level's figures include setup.".to_owned();
    let points = [
        Some(format!("took {}", seconds(setup.took_s))),
        (setup.pools.is_empty() && setup.users > 0)
            .then(|| format!("users created: {}", count(setup.users))),
        means(run),
    ];
    let points = points.into_iter().flatten();
    let failures = setup.failures.iter().map(failure);
    let blocks = vec![
        Block::Text(text),
        Block::List(points.chain(failures).collect()),
        Block::Table(pools(setup)),
        Block::Table(requests(setup)),
    ];
    Section::unless_empty("Setup", blocks)
}

/// Formats a failure: `rate-limited, POST /users: 3 times`.
fn failure(failure: &Failure) -> String {
    let (side, kind, what) = (failure.side, failure.kind, &failure.what);
    format!(
        "failed: {side}, {kind}, {what}: {}",
        plural(failure.count, "time")
    )
}

fn pools(setup: &Setup) -> Table {
    let titles = [
        "users requested",
        "created",
        "failed",
        "concurrency",
        "time",
        "rate",
        "per user p50",
        "p95",
        "max",
    ];
    let row = |pool: &Pool| {
        let at = |q| estimate_in_full(stats::estimate(&pool.time, 0, q), None);
        Row::plain(vec![
            Some(count(pool.asked)),
            Some(count(pool.made)),
            Some(part(pool.failed, pool.asked)),
            Some(count(pool.at_once)),
            Some(seconds(pool.took_s)),
            rate_of(pool.made, pool.took_s),
            Some(at(0.5)),
            Some(at(0.95)),
            pool.time.max().map(duration),
        ])
    };
    let rows = setup.pools.iter().map(row).collect();
    Table::new(titles.map(Column::number).to_vec(), rows)
}

fn requests(setup: &Setup) -> Table {
    let titles = ["ended", "failed", "response p50", "p95", "p99", "max"];
    let columns = [
        vec![Column::name("request")],
        titles.map(Column::number).to_vec(),
    ];
    let row = |(name, timings): (&String, &Timings)| {
        let at = |q| Some(estimate_in_full(timings.response_at(q), timings.timeout));
        Row::plain(vec![
            Some(name.clone()),
            Some(count(timings.count)),
            Some(part(timings.failed, timings.count)),
            at(0.5),
            at(0.95),
            at(0.99),
            longest(timings),
        ])
    };
    let rows = setup.requests.iter().map(row).collect();
    Table::new(columns.concat(), rows)
}

fn all_requests(setup: &Setup) -> Timings {
    let each = setup.requests.values();
    each.fold(Timings::default(), |mut all, one| {
        all.merge(one);
        all
    })
}

/// Mean time to create a user, over all pools together.
fn one_user(setup: &Setup) -> Option<Nanos> {
    let mut times = stats::Histogram::new();
    setup.pools.iter().for_each(|pool| times.merge(&pool.time));
    times.mean()
}

/// Returns the mean time to create one user, the mean time of an iteration in the first level that has any, and the
/// name of that level.
fn beside_the_flow(run: &Run) -> Option<(Nanos, Nanos, String)> {
    let made = one_user(run.setup.as_ref()?)?;
    let iteration =
        |level: &Level| Some((level.measured.iterations.time.mean()?, label(&level.load)));
    let (time, at) = run.levels.iter().find_map(iteration)?;
    Some((made, time, at))
}

fn means(run: &Run) -> Option<String> {
    let (made, time, at) = beside_the_flow(run)?;
    let than = if made > time {
        ": setup is slower than the scenario"
    } else {
        ""
    };
    Some(format!(
        "mean time {} to create a user, {} per iteration at {at}{than}",
        duration(made),
        duration(time)
    ))
}

/// Summarises a setup that created users, in one line.
pub(crate) fn line(run: &Run) -> Option<String> {
    let setup = run.setup.as_ref()?;
    let pools = &setup.pools;
    if pools.is_empty() {
        return None;
    }
    let sum = |of: fn(&Pool) -> u64| pools.iter().map(of).sum::<u64>();
    let (made, asked) = (sum(|pool| pool.made), sum(|pool| pool.asked));
    let took: f64 = pools.iter().map(|pool| pool.took_s).sum();
    let mut told = format!(
        "{} of {} created in {}",
        count(made),
        plural(asked, "user"),
        seconds(took)
    );
    let all = all_requests(setup);
    if all.failed > 0 {
        let failed = part(all.failed, all.count);
        told = format!(
            "{told}; {failed} of {} failed",
            plural(all.count, "request")
        );
    }
    Some(match beside_the_flow(run) {
        Some((made, time, _)) if made > time => format!(
            "{told}; slower than the scenario: mean time {} per user, {} per iteration",
            duration(made),
            duration(time)
        ),
        _ => told,
    })
}
