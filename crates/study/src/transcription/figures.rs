//! The figures that the templates of the transcription study use.

use minijinja::context;
use minijinja::value::Value;
use model::Nanos;
use record::{Level, Run};

use super::field::{FieldTest, TESTS};
use super::measured::{chunks, kb_each, per_s, recordings, round_trips, streams};
use super::parts::Parts;
use super::tables;
use crate::ceiling;
use crate::figures::{cpu, environment, level_at, memory, millis, percent_more};

/// Chunks of half a second.
const CHUNKS_PER_HOUR: f64 = 7200.0;

pub(super) fn figures(parts: &Parts<'_>) -> Value {
    let single = |run: Option<&Run>| run.and_then(|run| run.levels.first()).map(live);
    let twice = |run: Option<&Run>| run.map(|run| run.levels.iter().map(live).collect::<Value>());
    let at = |users| parts.live.and_then(|run| level_at(run, users)).map(live);
    let runs = [
        parts.report,
        parts.live,
        parts.beyond,
        parts.serial,
        parts.hour,
        parts.alone,
        parts.slow,
    ];
    context! {
        published => TESTS.iter().map(published).collect::<Value>(),
        test_100 => parts.report.and_then(|run| level_at(run, 100)).map(closed_loop),
        test_300 => parts.report.and_then(|run| level_at(run, 300)).map(closed_loop),
        p99_growth => percent_more(TESTS[0].chunk_p99_ms, TESTS[1].chunk_p99_ms),
        live_100 => at(100),
        live_1000 => at(1000),
        serial => single(parts.serial),
        alone => twice(parts.alone),
        slow => twice(parts.slow),
        start_up_ms => parts.start_up.map(|time| time.as_secs_f64() * 1e3),
        closed => parts.closed.map(|closed| context! {
            too_slow => closed.too_slow,
            otherwise => closed.otherwise,
        }),
        hour => parts.hour.and_then(hour),
        ceiling => parts.ceiling.map(ceiling::figures),
        report_table => tables::report_in_full(parts),
        targets_table => tables::targets(parts),
        report_short => tables::report_in_short(parts),
        live_table => tables::live_in_full(parts),
        live_short => tables::live_in_short(parts),
        environment => environment(runs.into_iter().flatten().next()),
        system => "transcription service",
    }
}

/// A test of the report, with the figures that follow from it.
fn published(test: &FieldTest) -> Value {
    context! {
        users => test.users,
        chunks_per_s => test.chunks_per_s,
        streams => test.streams(),
        real_time_factor => test.real_time_factor(),
        chunk_p99_ms => test.chunk_p99_ms,
        rest_p99_ms => test.rest_p99_ms,
        recordings => test.recordings,
        beyond_p99 => test.recordings as f64 / 100.0,
    }
}

fn closed_loop(level: &Level) -> Value {
    let chunks = chunks(level);
    let mean_ms = chunks.response.mean().map(Nanos::as_millis_f64);
    context! {
        valid => !level.is_invalid(),
        chunks => chunks.count,
        failed => chunks.failed,
        failure_bound_percent => stats::zero_failures_bound(chunks.count).map(|bound| bound * 100.0),
        chunks_per_s => per_s(level, &chunks),
        mean_ms,
        streams => mean_ms.map(|mean| per_s(level, &chunks) * mean / 1e3),
        generator_percent => level.generator.busiest_worker_percent,
    }
}

fn live(level: &Level) -> Value {
    let (streams, round_trips) = (streams(level), round_trips(level));
    let recordings = recordings(level);
    context! {
        users => level.load.users,
        valid => !level.is_invalid(),
        streams => streams.count,
        chunks => streams.chunks,
        rtf_p50 => streams.real_time_factor.quantile(0.5),
        rtf_p5 => streams.real_time_factor.quantile(0.05),
        lag_p50_s => streams.lag.response.quantile(0.5).map(Nanos::as_secs_f64),
        lag_p95_ms => millis(streams.lag.response_at(0.95)),
        first_p95_ms => millis(streams.first.response_at(0.95)),
        final_p95_ms => millis(streams.last.response_at(0.95)),
        p50_ms => millis(round_trips.response_at(0.5)),
        p99_ms => millis(round_trips.response_at(0.99)),
        recordings => recordings.count,
        rest_p99_ms => millis(recordings.response_at(0.99)),
        finals => streams.last.count,
        unanswered => streams.unanswered,
        surplus => streams.surplus,
        cpu => cpu(level),
        generator_percent => level.generator.busiest_worker_percent,
        seconds => level.phases.duration_s,
    }
}

/// The memory of sessions that heard an hour of speech each.
fn hour(run: &Run) -> Option<Value> {
    let level = run.levels.first()?;
    Some(context! {
        hours => streams(level).chunks as f64 / CHUNKS_PER_HOUR,
        sessions => level.load.users,
        hours_each => streams(level).chunks as f64 / CHUNKS_PER_HOUR / level.load.users as f64,
        start_mb => level.target.as_ref()?.memory_mb_start?,
        most_mb => memory(level)?,
        kb_each => kb_each(level)?,
    })
}
