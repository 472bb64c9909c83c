//! The figures that the templates of the bridge study use.

use minijinja::context;
use minijinja::value::Value;
use record::{Level, Run};

use super::field::BRIDGE;
use super::parts::Parts;
use super::tables;
use crate::ceiling;
use crate::figures::{
    deliveries, delivery_figures, environment, level_at, level_figures, levels_at, per_s,
    percent_more, range, requests, session_figures,
};

pub(super) fn figures(parts: &Parts<'_>) -> Value {
    let [five, ten, twenty] = BRIDGE.map(|row| row.per_s);
    let at = |users| parts.http.and_then(|run| level_at(run, users));
    let last_rooms = parts.rooms.and_then(|run| run.levels.last());
    let runs = [parts.short, parts.http, parts.rooms, parts.crowd];
    context! {
        published => published(),
        growth_to_10 => percent_more(five, ten),
        growth_to_20 => percent_more(ten, twenty),
        at_5 => at(5).map(level_figures),
        at_20 => at(20).map(level_figures),
        at_20_factor => at(20).map(|level| per_s(level) / twenty),
        ours => ours(parts),
        repeated => parts.short.map(repeated),
        left_over => parts.short.and_then(left_over),
        most_left => parts.http.and_then(most_left),
        people => last_rooms.map(people),
        all_rooms => parts.rooms.and_then(all_rooms),
        ceiling => parts.ceiling.map(ceiling::figures),
        sessions => parts.crowd.and_then(session_figures),
        requests_table => tables::requests_in_full(parts),
        requests_short => tables::requests_in_short(parts),
        rooms_table => tables::rooms_in_full(parts),
        rooms_short => tables::rooms_in_short(parts),
        environment => environment(runs.into_iter().flatten().next()),
        system => "bridge",
    }
}

/// The rows of the report, with figures derived from them. The report rounds wall times to milliseconds.
fn published() -> Value {
    let rows = BRIDGE.iter().map(|row| {
        let rate = |error: f64| row.wall_s.map(|wall| row.messages as f64 / (wall + error));
        context! {
            users => row.users,
            messages => row.messages,
            per_s => row.per_s,
            per_user_s => row.per_s / row.users as f64,
            mean_ms => row.users as f64 / row.per_s * 1e3,
            wall_s => row.wall_s,
            rate_by_wall => rate(0.0),
            lowest_rate => rate(0.0005),
            highest_rate => rate(-0.0005),
        }
    });
    rows.collect()
}

/// Those of our levels whose number of users also occurs in the report. `None` unless all of them were run.
fn ours(parts: &Parts<'_>) -> Option<Value> {
    let run = parts.http?;
    let levels = [level_at(run, 5)?, level_at(run, 10)?, level_at(run, 20)?];
    let [five, ten, twenty] = levels.map(per_s);
    let figures = levels.map(|level| {
        let users_by_rate_ms = level.load.users as f64 / per_s(level) * 1e3;
        context! { users_by_rate_ms, ..level_figures(level) }
    });
    Some(context! {
        levels => figures,
        growth_to_10 => percent_more(five, ten),
        growth_to_20 => percent_more(ten, twenty),
    })
}

/// For each number of users, the ranges over the runs that repeat the report's test.
fn repeated(run: &Run) -> Value {
    let sizes = [5, 10, 20].into_iter().filter_map(|users| {
        let levels = || levels_at(run, users);
        let rates = range(levels().map(per_s))?;
        let p99s = levels().filter_map(|level| requests(level).response.quantile(0.99));
        let p99s = range(p99s.map(model::Nanos::as_millis_f64))?;
        let times = range(levels().map(|level| level.phases.duration_s * 1e3))?;
        Some(context! {
            users,
            lowest_per_s => rates.0,
            highest_per_s => rates.1,
            factor => rates.1 / rates.0,
            lowest_p99_ms => p99s.0,
            highest_p99_ms => p99s.1,
            shortest_ms => times.0,
            longest_ms => times.1,
        })
    });
    sizes.collect()
}

fn sessions_left(run: &Run) -> impl Iterator<Item = f64> {
    run.levels
        .iter()
        .map(|level| level.leftovers.unwrap_or(0.0))
}

/// The numbers of sessions that already existed before some levels when the report's own procedure was followed.
fn left_over(run: &Run) -> Option<Value> {
    let left: Vec<f64> = sessions_left(run).collect();
    let (&[_, before_second, before_third, ..], &before_last) = (left.as_slice(), left.last()?)
    else {
        return None;
    };
    Some(context! { before_second, before_third, before_last })
}

fn most_left(run: &Run) -> Option<f64> {
    range(sessions_left(run)).map(|(_, most)| most)
}

fn people(level: &Level) -> Value {
    context! {
        messages_per_s => deliveries(level).messages as f64 / level.phases.duration_s,
        group_size => level.load.users.checked_div(level.load.groups),
        ..level_figures(level)
    }
}

fn all_rooms(run: &Run) -> Option<Value> {
    let levels = run.levels.iter().map(deliveries);
    let all = levels.reduce(|mut all, one| {
        all.merge(&one);
        all
    });
    all.as_ref().map(delivery_figures)
}
