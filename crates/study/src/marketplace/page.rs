//! The figures that the templates of the marketplace study use.

use minijinja::context;
use minijinja::value::Value;
use model::Nanos;
use record::{Level, Run};

use super::field::{THINK_S, TIMEOUT_S, TIMES};
use super::figures::{
    AtOnce, HASHED, HASHES, at, at_once, levels, longest, p95, rate_limited, share,
};
use super::hashing::{Hashing, Threads, threads};
use super::parts::Parts;
use super::{rate, tables};
use crate::causes;
use crate::ceiling;
use crate::figures::{cpu, environment, level_figures};

pub(super) fn figures(parts: &Parts<'_>) -> Value {
    let [create, login, ..] = TIMES;
    let ms = |value: f64| value.to_string();
    let flow = |trades| at_once(parts.report, trades).map(|one| at_once_figures(&one));
    let pooled = |trades| at_once(parts.pooled, trades).map(|one| at_once_figures(&one));
    let argon = |trades| threads(parts.report, "", trades).map(|one| threads_figures(&one));
    let hashing = Hashing::of(parts.report);
    let setup = parts.pooled.and_then(|run| run.setup.as_ref());
    // 20 active users, who take `r` seconds each, correspond to more people, because of the report's think time.
    let people = |r: f64| THINK_S.map(|think| 20.0 * (r + think) / r);
    let figures = context! {
        published_create_p95_ms => ms(create.run2.1),
        published_login_p95_ms => ms(login.run2.1),
        fisher_p => stats::fisher((15, 16), (16, 16)),
        share_of_20 => share((20, 20)),
        slower => slower(),
        think_s => THINK_S.map(ms),
        quick_people => people(0.5),
        slow_people => people(8.2),
        flows => several(parts.report, &[16, 32, 64]),
        flow_20 => flow(20),
        flow_32 => flow(32),
        flow_64 => flow(64),
        pooled => several(parts.pooled, &[32, 64]),
        pooled_32 => pooled(32),
        pooled_64 => pooled(64),
        creation_s => setup.map(|setup| setup.took_s),
        argon => hashing.map(|hashing| hashing.figures()),
        argon_32 => argon(32),
        argon_64 => argon(64),
        threads_4 => threads(parts.threads4, "4", 32).map(|one| with_cpu(&one, parts.threads4)),
        threads_4_last => levels(parts.threads4).last().map(level_figures),
        threads_16 => threads(parts.threads16, "16", 32).map(|one| with_cpu(&one, parts.threads16)),
        held_rate => rate::ceiling(parts.rate).0.map(rate::figures),
        missed_rate => rate::ceiling(parts.rate).1.map(rate::figures),
        people => rate::people(parts.rate),
        full => full(parts),
        limiter => limiter(parts),
        lost => lost(parts),
        ledgers => parts.ledgers.len(),
        wrong_ledgers => wrong_ledgers(parts),
    };
    context! { ..figures, ..hashed_figures(parts), ..tables_figures(parts) }
}

fn tables_figures(parts: &Parts<'_>) -> Value {
    context! {
        trades_table => tables::trades(parts),
        steps_table => tables::steps(parts),
        operations_table => tables::operations(parts),
        passwords_table => tables::hashing(parts),
        rates_table => tables::rates(parts),
        limiter_table => tables::limited(parts),
        ledger_table => tables::ledgers(parts),
        ceiling => parts.ceiling.map(ceiling::figures),
        causes => parts.rate.map(|run| causes::of_runs([run])),
        environment => environment(parts.report.or(parts.pooled).or(parts.rate)),
        system => "marketplace",
    }
}

/// The operations that runs 2 and 3 of the report both measured.
fn slower() -> Value {
    let rows = TIMES.iter().filter_map(|row| {
        let after = row.run3?;
        Some(context! {
            operation => row.operation,
            p50_before => row.run2.0.to_string(),
            p50_after => after.0.to_string(),
            p95_before => row.run2.1.to_string(),
            p95_after => after.1.to_string(),
        })
    });
    rows.collect()
}

fn several(run: Option<&Run>, trades: &[u64]) -> Value {
    let found = trades.iter().filter_map(|&trades| at_once(run, trades));
    found.map(|one| at_once_figures(&one)).collect()
}

/// The figures of concurrent trades. A figure named `…_bound` may be the upper bound of a percentile.
fn at_once_figures(one: &AtOnce) -> Value {
    let (completed, started) = one.passed();
    let logins = one.hashed(&["auth.login"]);
    let hashed = one.hashed(&HASHED);
    let over = hashed.response.count_above(Nanos::from_secs(TIMEOUT_S));
    let reached = |step: &str| one.reached(step).unwrap_or_default();
    context! {
        trades => one.trades,
        runs => one.runs,
        took_s => one.took_s,
        completed,
        started,
        share => share((completed, started)),
        passwords => one.trades * HASHES,
        passwords_per_s => one.hashes_per_s(),
        logins_p50 => at(logins.response_at(0.5)),
        logins_p95 => p95(&logins),
        hashed => hashed.count,
        hashed_per_trade => hashed.count as f64 / started.max(1) as f64,
        hashed_failed => hashed.failed,
        hashed_p95 => at(hashed.response_at(0.95)),
        hashed_longest => longest(&hashed),
        hashed_over_15_s => over,
        others_p95 => at(one.others().response_at(0.95)),
        others_p95_bound => p95(&one.others()),
        reached_offers => reached("offers.create"),
        reached_payment => reached("status.payment"),
        reached_confirmation => reached("delivery.confirm"),
    }
}

fn threads_figures(one: &Threads) -> Value {
    context! {
        threads => one.count,
        least_s => one.hashing.least_s(one.at.trades),
        ..context! { ..one.hashing.figures(), ..at_once_figures(&one.at) }
    }
}

/// The figures of concurrent trades, with the CPU use of the marketplace.
fn with_cpu(one: &Threads, run: Option<&Run>) -> Value {
    let level = levels(run).find(|level| level.load.groups == one.at.trades);
    context! {
        cpu => level.map(cpu),
        ..threads_figures(one)
    }
}

/// The number of requests that hash a password, and of their failures, in all parts that are about passwords.
fn hashed_figures(parts: &Parts<'_>) -> Value {
    let (mut hashed_requests, mut hashed_failures) = (0, 0);
    let runs = [parts.report, parts.threads4, parts.threads16];
    for level in runs.into_iter().flat_map(levels) {
        let found = HASHED.map(|name| level.measured.requests.get(name));
        for timings in found.into_iter().flatten() {
            hashed_requests += timings.count;
            hashed_failures += timings.failed;
        }
    }
    let bound = stats::zero_failures_bound(hashed_requests);
    context! {
        hashed_requests,
        hashed_failures,
        hashed_bound_percent => bound.map(|bound| bound * 100.0),
    }
}

/// The logins that were refused because the queue was full.
fn full(parts: &Parts<'_>) -> Option<Value> {
    let (refused, let_in, longest_ms, retry_after_s) = tables::refused(parts)?;
    Some(context! { refused, let_in, longest_ms, retry_after_s })
}

/// The rate limiter, with the limit that headcount derived only from the responses.
fn limiter(parts: &Parts<'_>) -> Option<Value> {
    let first = levels(parts.limiter).find(|level| rate_limited(level) > 0)?;
    let finding = parts.limiter.and_then(|run| run.findings.first());
    Some(context! {
        refused => levels(parts.limiter).map(rate_limited).sum::<u64>(),
        first_trades => first.load.groups,
        derived => finding.map(report::finding_sentence),
        confidence => finding.map(|finding| finding.confidence.as_str()),
    })
}

/// The part in which a notification is lost. Includes its first failure if that concerns the notification.
fn lost(parts: &Parts<'_>) -> Option<Value> {
    let level: &Level = levels(parts.lost).next()?;
    let all = &level.measured.iterations;
    let mut causes = level.measured.funnel.first_failures.iter();
    let is_it = |step: &Vec<String>| {
        step.last()
            .is_some_and(|name| name == "offer-accepted seen")
    };
    let named = causes.find(|cause| cause.step.as_ref().is_some_and(is_it));
    Some(context! {
        failed => all.failed,
        started => all.started,
        named => named.map(|cause| context! {
            failed => cause.failed,
            detail => cause.first.detail.as_str(),
        }),
    })
}

/// The parts after which the ledger did not add up, or was not checked completely.
fn wrong_ledgers(parts: &Parts<'_>) -> Value {
    let balanced = |run: &Run| run.thresholds.iter().all(|one| one.held == Some(true));
    let wrong = parts.ledgers.iter();
    wrong
        .filter(|(_, run)| run.levels.is_empty() || !balanced(run))
        .map(|(part, _)| *part)
        .collect()
}
