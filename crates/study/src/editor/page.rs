//! The figures that the templates of the editor study use.

use minijinja::context;
use minijinja::value::Value;
use record::{Deliveries, Level};

use super::field::{EDITOR, NoServer};
use super::figures::{
    Miss, Reason, ceiling, climb, converged, is_core_full, kb_per_user, late_test, levels,
    reported_count, reported_in_ms, test,
};
use super::parts::Parts;
use super::tables;
use crate::causes;
use crate::ceiling;
use crate::figures::{deliveries, delivery_figures, environment, level_at, level_figures, range};

pub(super) fn figures(parts: &Parts<'_>) -> Value {
    let of = |level: &Level| editor_figures(parts, level);
    let tested = |number| test(parts, number).map(of);
    let (best, first_miss) = ceiling(climb(parts));
    let tests = (1..=EDITOR.len()).filter_map(|number| test(parts, number));
    let runs = [parts.report, parts.late, parts.rooms, parts.crowd];
    let [_, _, third, fourth] = EDITOR;
    context! {
        published => published(),
        received_factor => third.received as f64 / fourth.received as f64,
        latency_factor => third.mean_ms / fourth.mean_ms,
        tests => tests_of(parts),
        tests_received => tests.map(|level| deliveries(level).received()).sum::<u64>(),
        test_1 => tested(1),
        test_3 => tested(3),
        test_4 => tested(4),
        late_1 => late_test(parts, 1).map(of),
        late_3 => late_test(parts, 3).map(of),
        best => best.map(of),
        best_share_percent => best.map(|level| level.load.users as f64 / 1000.0 * 100.0),
        first_miss => first_miss.map(|(level, miss)| miss_figures(level, miss)),
        levels => climb(parts).map(of).collect::<Value>(),
        largest => climb(parts).last().map(of),
        thousand => climb(parts).find(|level| level.load.users == 1000).map(of),
        crowd => levels(parts.crowd).last().map(of),
        room_sizes => room_sizes(parts),
        fifty => levels(parts.fifty).next().map(of),
        healthy => healthy(parts),
        generator => generator(parts),
        connection_ms => connection_ms(parts),
        invalid_levels => invalid_levels(parts),
        tests_table => tables::tests(parts),
        rooms_table => tables::rooms_in_full(parts),
        rooms_short => tables::rooms_in_short(parts),
        documents_table => tables::documents_in_full(parts),
        documents_short => tables::documents_in_short(parts),
        ceiling => parts.ceiling.map(ceiling::figures),
        causes => parts.rooms.map(|_| {
            causes::of_runs([parts.rooms, parts.crowd, parts.beyond].into_iter().flatten())
        }),
        environment => environment(runs.into_iter().flatten().next()),
        system => "editor",
    }
}

/// The tests of the report, with figures derived from them.
fn published() -> Value {
    let rows = EDITOR.iter().map(|row| {
        let without = NoServer::of(row.users, row.rooms);
        let wall_s = row.sent as f64 / row.sent_per_s;
        context! {
            test => row.test,
            users => row.users,
            mean_ms => row.mean_ms.to_string(),
            p95_ms => row.p95_ms.to_string(),
            sent => row.sent,
            sent_per_s => row.sent_per_s,
            received => row.received,
            received_per_s => row.received as f64 / wall_s,
            received_by_sent => row.received as f64 / row.sent as f64,
            others_in_room => (row.users - 1) as f64 / row.rooms as f64,
            wall_s,
            ramp_s => row.users as f64 * 0.1014,
            full_pace_per_s => row.users as f64 * 2.5,
            samples => without.map_or(0.0, |none| none.samples),
            without => without.map(|none| context! {
                samples => none.samples,
                mean_ms => none.mean_ms,
                p95_ms => none.p95_ms,
            }),
        }
    });
    rows.collect()
}

/// The figures of a level, including those that only this study has.
fn editor_figures(parts: &Parts<'_>, level: &Level) -> Value {
    let all = deliveries(level);
    context! {
        reported => reported_in_ms(level),
        reported_count => reported_count(level),
        converged => converged(level).0,
        kb_each => kb_per_user(parts, level),
        sent_per_s => all.messages as f64 / level.phases.duration_s,
        receivers => all.expected as f64 / all.messages.max(1) as f64,
        ..level_figures(level)
    }
}

/// The tests of the report that were repeated here.
fn tests_of(parts: &Parts<'_>) -> Value {
    let tests = EDITOR.iter().filter_map(|row| {
        let level = test(parts, row.test)?;
        Some(context! { test => row.test, ..editor_figures(parts, level) })
    });
    tests.collect()
}

/// The figures of the first level that did not show that the thresholds hold.
fn miss_figures(level: &Level, miss: Miss) -> Value {
    let reasons = miss.reasons.into_iter().map(|reason| match reason {
        Reason::Invalid(cause) => context! { kind => "invalid", cause },
        Reason::TooFew => context! { kind => "too_few" },
        Reason::P95(p95_ms) => context! { kind => "p95", p95_ms },
        Reason::Count(kind, count) => context! { kind, count },
    });
    context! {
        broke => miss.broke,
        reasons => reasons.collect::<Value>(),
        core_full => is_core_full(level),
        ..level_figures(level)
    }
}

/// The numbers of users with which rooms of 5 and rooms of 10 were run.
fn room_sizes(parts: &Parts<'_>) -> Value {
    let pairs = [100, 1000, 5000].into_iter().filter_map(|users| {
        let five = climb(parts).find(|level| level.load.users == users)?;
        let ten = level_at(parts.tens?, users)?;
        Some(context! {
            users,
            five => level_figures(five),
            ten => level_figures(ten),
        })
    });
    pairs.collect()
}

/// The deliveries and the rooms of all levels on the server without faults.
fn healthy(parts: &Parts<'_>) -> Option<Value> {
    let rooms = [parts.rooms, parts.crowd, parts.tens, parts.fifty];
    let tracked = [parts.report].into_iter().chain(rooms).flat_map(levels);
    let all = tracked
        .map(deliveries)
        .fold(Deliveries::default(), |mut all, one| {
            all.merge(&one);
            all
        });
    let documents = [parts.whole, parts.crdt];
    let (same, of) = rooms
        .into_iter()
        .chain(documents)
        .flat_map(levels)
        .map(converged)
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (all.expected > 0).then(|| {
        context! {
            converged => same,
            rooms => of,
            loss_bound_percent => stats::zero_failures_bound(all.messages).map(|bound| bound * 100.0),
            ..delivery_figures(&all)
        }
    })
}

/// The busy share of the generator's busiest worker, over the levels in rooms of 5.
fn generator(parts: &Parts<'_>) -> Option<Value> {
    let busiest = climb(parts).filter_map(|level| level.generator.busiest_worker_percent);
    let (lowest_percent, highest_percent) = range(busiest)?;
    Some(context! {
        lowest_percent,
        highest_percent,
        valid => climb(parts).filter(|level| !level.is_invalid()).count(),
        levels => climb(parts).count(),
    })
}

/// The mean time to open a connection in test 3.
fn connection_ms(parts: &Parts<'_>) -> Option<f64> {
    let mut connections = test(parts, 3)?.measured.connections.values();
    let mean = connections.find_map(|times| times.response.mean())?;
    Some(mean.as_millis_f64())
}

/// The causes of invalid levels.
fn invalid_levels(parts: &Parts<'_>) -> Value {
    let levels = parts.in_rooms().into_iter().flat_map(|(size, run)| {
        let invalid = levels(run).filter(|level| level.is_invalid());
        invalid.map(move |level| {
            context! {
                users => level.load.users,
                room_size => size,
                causes => report::invalid_because(level),
            }
        })
    });
    levels.collect()
}
