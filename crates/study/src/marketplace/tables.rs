//! The tables of the study of the marketplace, for a terminal and for Markdown.

use record::Level;

use super::field::{MARKETPLACE, Passed, TIMES};
use super::figures::{
    AtOnce, HASHED, at, at_once, levels, longest, metric, others, p95, rate_limited, share,
    with_interval,
};
use super::hashing::threads;
use super::parts::Parts;
use super::rate::completed_per_s;
use crate::figures::{cpu, millis_of};
use crate::table::Table;
use format::whole;

/// The steps of a trade, in order.
const STEPS: [&str; 10] = [
    "users.admin.create",
    "auth.login",
    "purchaseRequests.create",
    "offers.create",
    "offers.select",
    "offer-accepted seen",
    "status.payment",
    "delivery.update",
    "delivery.confirm",
    "notifications.list",
];

fn yes(valid: bool) -> String {
    if valid { "yes" } else { "NO" }.to_owned()
}

fn published(passed: Option<Passed>) -> String {
    passed.map_or("–".to_owned(), |Passed(passed, of)| {
        format!("{passed}/{of}")
    })
}

/// The levels of the report next to ours.
pub(super) fn trades(parts: &Parts<'_>) -> Table {
    let rows = MARKETPLACE.iter().map(|field| {
        let mut cells = vec![
            field.trades.to_string(),
            published(field.threads4),
            published(field.threads16),
        ];
        let flow = at_once(parts.report, field.trades);
        match &flow {
            Some(flow) => cells.extend(in_the_flow(flow)),
            None => cells.extend(["not measured"; 5].map(str::to_owned)),
        }
        let pooled = at_once(parts.pooled, field.trades);
        match &pooled {
            Some(pooled) => cells.extend([share(pooled.passed()), p95(&pooled.others())]),
            None => cells.extend(["not measured"; 2].map(str::to_owned)),
        }
        let valid = |one: &Option<AtOnce>| one.as_ref().is_none_or(|one| one.valid);
        cells.push(yes(valid(&flow) && valid(&pooled)));
        cells
    });
    Table::new(
        &[
            "trades at once",
            "report: 4 threads",
            "16 threads",
            "here, created in the flow",
            "login p50",
            "p95",
            "longest",
            "other requests p95",
            "here, created beforehand",
            "requests p95",
            "valid",
        ],
        rows.collect(),
    )
}

fn in_the_flow(flow: &AtOnce) -> [String; 5] {
    let logins = flow.hashed(&["auth.login"]);
    [
        share(flow.passed()),
        at(logins.response_at(0.5)),
        p95(&logins),
        longest(&logins),
        p95(&flow.others()),
    ]
}

/// The steps of 32 and of 64 concurrent trades, with the number of trades that reached each step.
pub(super) fn steps(parts: &Parts<'_>) -> Table {
    let columns = [
        at_once(parts.report, 32),
        at_once(parts.report, 64),
        at_once(parts.pooled, 32),
        at_once(parts.pooled, 64),
    ];
    let rows = STEPS.iter().map(|&step| {
        let mut cells = vec![step.to_owned()];
        for column in &columns {
            cells.extend(step_cells(column.as_ref(), step));
        }
        cells
    });
    Table::new(
        &[
            "step",
            "32 in the flow: reached",
            "p50",
            "p95",
            "64 in the flow: reached",
            "p50",
            "p95",
            "32 beforehand: reached",
            "p50",
            "p95",
            "64 beforehand: reached",
            "p50",
            "p95",
        ],
        rows.collect(),
    )
}

fn step_cells(column: Option<&AtOnce>, step: &str) -> [String; 3] {
    let timings = column.and_then(|column| {
        let measured = &column.measured;
        measured.steps.get(step).or(measured.eventually.get(step))
    });
    let reached = column.and_then(|column| column.reached(step));
    match (timings, reached) {
        (Some(timings), Some(reached)) => [
            reached.to_string(),
            at(timings.response_at(0.5)),
            p95(timings),
        ],
        _ => ["–"; 3].map(str::to_owned),
    }
}

/// The operations in the report's merged levels, next to those in our level of 32 trades.
pub(super) fn operations(parts: &Parts<'_>) -> Table {
    let flow = at_once(parts.report, 32);
    let pooled = at_once(parts.pooled, 32);
    let rows = TIMES.iter().map(|field| {
        let both = |(p50, p95): (f64, f64)| format!("{} / {}", whole(p50), whole(p95));
        let mut cells = vec![
            field.operation.to_owned(),
            both(field.run2),
            field.run3.map_or("–".to_owned(), both),
        ];
        for one in [&flow, &pooled] {
            let timings = one.as_ref().map(|one| one.hashed(&[field.operation]));
            let timings = timings.filter(|timings| timings.count > 0);
            cells.push(timings.map_or("–".to_owned(), |timings| {
                format!("{} / {}", at(timings.response_at(0.5)), p95(&timings))
            }));
        }
        cells
    });
    Table::new(
        &[
            "operation",
            "report, run 2: levels 1 to 32 together, p50 / p95 ms",
            "run 3: 16 and 20 together",
            "here: 32 in the flow",
            "32 beforehand",
        ],
        rows.collect(),
    )
}

/// The levels with trades at an arrival rate.
pub(super) fn rates(parts: &Parts<'_>) -> Table {
    let rows = levels(parts.rate).map(|level| {
        let all = &level.measured.iterations;
        let late = all.dropped + all.unfinished + all.failed;
        let others = others(level);
        vec![
            whole(level.load.rate_per_s.unwrap_or_default()),
            all.planned.to_string(),
            all.succeeded.to_string(),
            format!("{:.1}", completed_per_s(level)),
            all.dropped.to_string(),
            (late - all.dropped).to_string(),
            at(all.time_at(0.5)),
            at(all.time_at(0.95)),
            with_interval(others.response_at(0.95)),
            millis_of(others.longest()),
            cpu(level),
            busiest(level),
            yes(!level.is_invalid()),
        ]
    });
    Table::new(
        &[
            "trades/s planned",
            "planned",
            "completed",
            "per s",
            "no free user",
            "failed or not finished",
            "a trade: p50",
            "p95",
            "a request: p95",
            "longest ms",
            "CPU",
            "busiest thread",
            "valid",
        ],
        rows.collect(),
    )
}

fn busiest(level: &Level) -> String {
    let target = level.target.as_ref();
    let thread = target.and_then(|target| target.busiest_thread.as_ref());
    thread.map_or("n/a".to_owned(), |thread| {
        format!("{} {:.0} %", thread.name, thread.cpu_percent)
    })
}

/// Hashing with bcrypt 12 (4 and 16 threads) and with argon2id.
pub(super) fn hashing(parts: &Parts<'_>) -> Table {
    let mut rows = Vec::new();
    for (how, run, count) in [
        ("bcrypt 12", parts.threads4, "4"),
        ("bcrypt 12", parts.threads16, "16"),
        ("argon2id", parts.report, "per core"),
    ] {
        for trades in [1, 32, 64] {
            let Some(one) = threads(run, count, trades) else {
                continue;
            };
            let logins = one.at.hashed(&["auth.login"]);
            rows.push(vec![
                how.to_owned(),
                count.to_owned(),
                trades.to_string(),
                share(one.at.passed()),
                format!("{:.1} ms", one.hashing.cost_s * 1e3),
                format!("{:.1}", one.hashing.limit_per_s()),
                format!("{:.1}", one.at.hashes_per_s()),
                format!("{:.1} s", one.hashing.least_s(trades)),
                format!("{:.1} s", one.at.took_s),
                at(logins.response_at(0.5)),
                p95(&logins),
                with_interval(one.at.hashed(&HASHED).response_at(0.95)),
                p95(&one.at.others()),
                yes(one.at.valid),
            ]);
        }
    }
    Table::new(
        &[
            "hash",
            "threads",
            "trades at once",
            "completed",
            "one login alone",
            "limit: cores ÷ cost, per s",
            "passwords/s",
            "all passwords at the limit",
            "duration",
            "login p50",
            "p95",
            "password requests p95",
            "other requests p95",
            "valid",
        ],
        rows,
    )
}

/// The levels of the part with the rate limiter.
pub(super) fn limited(parts: &Parts<'_>) -> Table {
    let rows = levels(parts.limiter).map(|level| {
        let all = &level.measured.iterations;
        let requests: u64 = level.measured.requests.values().map(|one| one.count).sum();
        vec![
            level.load.groups.to_string(),
            share((all.succeeded, all.started)),
            requests.to_string(),
            rate_limited(level).to_string(),
        ]
    });
    Table::new(
        &[
            "trades at once",
            "completed",
            "requests",
            "refused with 429",
        ],
        rows.collect(),
    )
}

/// The ledger after each part, with amounts in minor units.
pub(super) fn ledgers(parts: &Parts<'_>) -> Table {
    let rows = parts.ledgers.iter().map(|(part, run)| {
        let level = run.levels.first();
        let value = |name: &str| {
            let last = level.and_then(|level| metric(level, name)?.last);
            last.map_or("not known".to_owned(), whole_or_negative)
        };
        let sums = [
            "paid by buyers",
            "in escrow",
            "earned by sellers",
            "kept as fees",
            "sum of all accounts",
            "violated invariants",
        ];
        let mut cells = vec![(*part).to_owned()];
        cells.extend(sums.map(value));
        cells
    });
    Table::new(
        &[
            "after part",
            "paid by buyers",
            "in escrow",
            "earned by sellers",
            "kept as fees",
            "sum of all accounts",
            "broken rules",
        ],
        rows.collect(),
    )
}

fn whole_or_negative(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{}", whole(value.abs()))
}

/// Returns figures of the logins with a full queue: the number refused, the number admitted, the longest time until a
/// refusal in ms, and the longest `Retry-After` in seconds.
pub(super) fn refused(parts: &Parts<'_>) -> Option<(u64, u64, f64, f64)> {
    let level = levels(parts.full).next()?;
    let refused = metric(level, "refused after, ms")?;
    let come_back = metric(level, "come back after, s")?;
    let let_in = metric(level, "let in after, ms").map_or(0, |metric| metric.count);
    Some((refused.count, let_in, refused.max?, come_back.max?))
}
