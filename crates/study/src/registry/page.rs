//! The figures that the templates of the registry study use.

use minijinja::context;
use minijinja::value::Value;
use record::Level;

use super::buckets;
use super::field::{DELIVERED, FAILED, Growth, LAUNCHED, REGISTRY, SECONDS, TARGETS};
use super::figures::{
    climb, levels, multicast_figures, nobody, operation, sustained, tagged, tenants,
};
use super::parts::Parts;
use super::tables;
use crate::causes;
use crate::ceiling;
use crate::figures::{environment, millis, millis_of};

/// Capacity in targets per second, from the report's own repository: 1,000 targets in 24 ms.
const CAPACITY_PER_S: f64 = 1000.0 / 0.024;

/// `shared`: whether the registry stored its state in Redis and NATS.
pub(super) fn figures(parts: &Parts<'_>, shared: bool) -> Value {
    let first = |run| levels(run).next().map(multicast_figures);
    let (ramp_held, ramp_missed) = climb(parts.ramp);
    let (overload_held, overload_missed) = climb(parts.overload);
    let last_overload = levels(parts.overload).last();
    let any = parts.report.or(parts.mix3000).or(parts.mix1000);
    let ours = context! {
        shared,
        report => levels(parts.report).next().and_then(nobody),
        growth => levels(parts.report).next().map(growth),
        mix_3000 => first(parts.mix3000),
        mix_1000 => first(parts.mix1000),
        mix_100 => first(parts.mix100),
        mix_3000_counts => levels(parts.mix3000).next().map(mix_counts),
        ramp_held => ramp_held.map(multicast_figures),
        ramp_missed => ramp_missed.map(|miss| miss.figures()),
        ramp_top => levels(parts.ramp).last().map(multicast_figures),
        overload_held => overload_held.map(multicast_figures),
        overload_missed => overload_missed.map(|miss| miss.figures()),
        overload_top => last_overload.map(multicast_figures),
        clipped => last_overload.and_then(clipped),
        edges => levels(parts.mix3000).next().map(edges),
        burst => first(parts.burst),
        tenants => levels(parts.tenants).next().map(tenants),
        sustained => levels(parts.sustained).next().and_then(sustained),
        mixes_table => tables::mixes_in_full(parts),
        mixes_short => tables::mixes_in_short(parts),
        operations_table => tables::operations(parts),
        histograms_table => tables::histograms(parts),
        rates_table => tables::rates(parts),
        bursts_table => tables::in_bursts(parts),
        ceiling => parts.ceiling.map(ceiling::figures),
        causes => parts.overload.map(|run| causes::of_runs([run])),
        environment => environment(any),
        system => "registry",
    };
    context! { ..ours, ..published() }
}

/// The figures of the report, with what follows from them.
fn published() -> Value {
    let [register, _, multicast] = REGISTRY;
    let growth = Growth::published();
    let (backlog_from_s, backlog) = growth.backlog(CAPACITY_PER_S);
    let total: u64 = REGISTRY.iter().map(|row| row.count).sum();
    let [first, ..] = LAUNCHED;
    context! {
        published => context! {
            multicasts => multicast.count,
            mean_s => multicast.mean_ms / 1e3,
            max_s => multicast.max_ms / 1e3,
            mean_at_most_s => multicast.mean_at_most_ms() / 1e3,
            p99_at_least_s => multicast.p99_at_least_ms() / 1e3,
            targets => TARGETS,
            targets_each => TARGETS as f64 / multicast.count as f64,
            targets_per_s => TARGETS as f64 / SECONDS,
            delivered => DELIVERED,
            delivered_percent => DELIVERED as f64 / TARGETS as f64 * 100.0,
            failed => FAILED,
            failed_percent => FAILED as f64 / TARGETS as f64 * 100.0,
            failed_multicasts => FAILED as f64 / register.count as f64,
            registered => register.count,
            growth_per_s => growth.targets_per_s(1.0),
            targets_per_s_at_end => growth.targets_per_s(SECONDS),
            targets_predicted => growth.targets(SECONDS),
            capacity_per_s => CAPACITY_PER_S,
            backlog_from_s,
            backlog,
            total,
            rate => total as f64 / SECONDS,
            launched => LAUNCHED.iter().sum::<u64>(),
            launched_first => first,
            rate_first => first as f64 / 5.0,
        },
    }
}

/// The times of the multicasts by the number of registered identities.
fn growth(level: &Level) -> Value {
    let rows = tagged(level, "multicast").map(|(identities, timings)| {
        context! {
            identities,
            multicasts => timings.count,
            p50_ms => millis(timings.response_at(0.5)),
            p95_ms => millis(timings.response_at(0.95)),
            max_ms => millis_of(timings.longest()),
        }
    });
    rows.collect()
}

/// The number of operations of each kind.
fn mix_counts(level: &Level) -> Value {
    let count = |name| operation(level, name).count;
    context! {
        register => count("register"),
        enumerate => count("enumerate"),
        multicast => count("multicast"),
    }
}

/// The multicasts of a level, as they are and as the report's histogram prints them. `None` without multicasts.
fn clipped(level: &Level) -> Option<Value> {
    let all = operation(level, "multicast");
    let times = all.response;
    Some(context! {
        timed_out => all.timed_out,
        rate => level.load.rate_per_s,
        count => times.count(),
        mean_s => times.mean()?.as_secs_f64(),
        p50_s => times.quantile(0.5)?.as_secs_f64(),
        p99_s => times.quantile(0.99)?.as_secs_f64(),
        max_s => times.max()?.as_secs_f64(),
        printed_p50_ms => millis_of(buckets::quantile(&times, 0.5)),
        printed_p99_ms => millis_of(buckets::quantile(&times, 0.99)),
        beyond_the_edge => buckets::clipped(&times),
    })
}

/// For each operation, a percentile and the label that the report's histogram prints for it.
fn edges(level: &Level) -> Value {
    let rows = REGISTRY.iter().map(|row| {
        let times = operation(level, row.operation).response;
        context! {
            operation => row.operation,
            p50_ms => millis_of(times.quantile(0.5)),
            p95_ms => millis_of(times.quantile(0.95)),
            printed_p50_ms => millis_of(buckets::quantile(&times, 0.5)),
            printed_p95_ms => millis_of(buckets::quantile(&times, 0.95)),
        }
    });
    rows.collect()
}
