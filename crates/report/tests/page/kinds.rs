//! Further hand-made records, which only the page shows in full: time series, twenty levels, hostile names.

use model::{FaultKind, Nanos, Side, Verdict};
use record::{
    DropCause, FunnelStep, IssueCause, Iterations, Level, LevelIssue, Load, Run, TargetSample,
    TargetUse, ThreadUse, Timings, Window,
};
use stats::BlockWriter;

use crate::common::parts::{deliveries, failure, frame, level, named, requests, threshold, times};
use crate::common::runs;

const P95: (&str, &str) = ("requests", "p95 < 50ms");

/// Gives a level one window and one sample of the target for each second.
fn with_series(level: &mut Level, started_s: f64) {
    let (users, seconds) = (level.load.users, seconds_of(level));
    level.started_s = Some(started_s);
    let wave = |second: u32| 1.0 + f64::from(second % 7) / 10.0;
    level.series = (0..seconds)
        .map(|second| Window {
            start_s: f64::from(second),
            users,
            requests: users * 2,
            failed: u64::from(second % 11 == 3),
            messages: users,
            deliveries: users * 4,
            p50_ms: Some(2.0 * wave(second)),
            p95_ms: (second % 5 != 4).then(|| 9.0 * wave(second)),
            p99_ms: (second % 3 == 0).then(|| 20.0 * wave(second)),
            max_ms: Some(40.0 * wave(second)),
            ..Window::default()
        })
        .collect();
    for second in 0..seconds {
        let times = times(60, 4.0 * wave(second));
        let without_end = u64::from(second % 11 == 3);
        level.heat_map.add(second as usize, &times, without_end);
    }
    if let Some(target) = &mut level.target {
        target.samples = (1..seconds)
            .map(|second| sample(second, wave(second)))
            .collect();
    }
}

fn seconds_of(level: &Level) -> u32 {
    let phases = &level.phases;
    let total = phases.ramp_s + phases.warmup_s + phases.duration_s;
    format!("{total:.0}").parse().unwrap()
}

fn sample(second: u32, wave: f64) -> TargetSample {
    TargetSample {
        at_s: f64::from(second),
        cpu_percent: Some(40.0 * wave),
        busiest_thread_percent: Some(31.0 * wave),
        memory_mb: Some(20.0 + f64::from(second) / 10.0),
        connections: Some(100),
        listen_queue: Some(u64::from(second % 9 == 1)),
        ..TargetSample::default()
    }
}

/// The runs of the other tests, over time.
pub(crate) fn over_time(mut run: Run) -> Run {
    let mut started_s = 0.5;
    for level in &mut run.levels {
        with_series(level, started_s);
        started_s += level.phases.ramp_s + level.phases.duration_s + 5.0;
    }
    run
}

/// Twenty rates, of which the last four break the threshold and drop starts.
pub(crate) fn twenty_levels() -> Run {
    let levels = (0..20).map(|index| {
        let rate = 25.0 * (index + 1) as f64;
        let mut level = open_level(index, rate, 2.0 + 1.4_f64.powf(index as f64 / 1.6));
        if index >= 16 {
            drop_starts(&mut level);
        }
        level
    });
    let results = (0..20).map(|index| threshold(index, P95, "7 ms", Some(index < 16)));
    let run = Run {
        verdict: Verdict::Failed,
        levels: levels.collect(),
        thresholds: results.collect(),
        ..frame()
    };
    over_time(run)
}

fn open_level(index: usize, rate: f64, typical_ms: f64) -> Level {
    let mut level = level(index, 500);
    level.load = Load {
        rate_per_s: Some(rate),
        rate: Some(format!("{rate}/s")),
        ..level.load
    };
    let iterations = index as u64 * 750 + 750;
    level.measured.requests = named("GET /items/:id", requests(iterations * 4, typical_ms));
    level.measured.iterations = Iterations {
        planned: iterations,
        started: iterations,
        succeeded: iterations,
        time: times(iterations, typical_ms * 4.0),
        ..Iterations::default()
    };
    level
}

fn drop_starts(level: &mut Level) {
    let iterations = &mut level.measured.iterations;
    let dropped = iterations.planned / 5;
    iterations.dropped = dropped;
    iterations.started -= dropped;
    iterations.succeeded -= dropped;
    iterations.dropped_by_cause = [(DropCause::UsersWaiting, dropped)].into();
}

/// Every request timed out or was refused, so there is no time at all.
pub(crate) fn all_failed() -> Run {
    let levels = [(0, 50), (1, 100)].map(|(index, users)| {
        let mut level = level(index, users);
        let mut all = Timings::default();
        (0..users).for_each(|_| all.ran_out(Nanos::from_secs(5)));
        (0..users).for_each(|_| all.broke());
        level.measured.requests = named("GET /", all);
        level.measured.iterations = Iterations {
            planned: users,
            started: users,
            failed: users,
            ..Iterations::default()
        };
        let refused = failure(
            Side::Target,
            FaultKind::Refused,
            "GET /",
            users,
            "connection refused",
        );
        level.measured.failures = vec![refused];
        level.target = None;
        level
    });
    Run {
        verdict: Verdict::Failed,
        levels: levels.into(),
        ..frame()
    }
}

/// One level of ten hours.
pub(crate) fn ten_hours() -> Run {
    let mut level = open_level(0, 100.0, 3.0);
    level.phases.duration_s = 36_000.0;
    over_time(Run {
        levels: vec![level],
        ..frame()
    })
}

/// Texts of the target and the user that try to end elements, to run, and to fill the page.
pub(crate) fn hostile() -> Run {
    let long = format!("/</script><script>alert(1)</script>{}", "x".repeat(300));
    let mut run = over_time(runs::with_losses());
    run.target = format!("http://{}", "very-long-host.".repeat(20));
    "<img src=x onerror=alert(1)>.ts".clone_into(&mut run.script.path);
    "// </script><!--<script>\nexport default () => \"</pre>\";\n"
        .clone_into(&mut run.script.source);
    for level in &mut run.levels {
        let edits = level.measured.deliveries["code-change"].clone();
        level.measured.deliveries.insert(long.clone(), edits);
        level
            .measured
            .requests
            .insert(long.clone(), requests(100, 2.0));
        let failure = failure(
            Side::Target,
            FaultKind::Status,
            &long,
            4,
            "<b>500</b> \u{1b}[31m&amp;",
        );
        level.measured.failures.push(failure);
    }
    run
}

/// A scenario with steps, in which fewer and fewer iterations reach the next one.
pub(crate) fn steps() -> Run {
    let mut run = twenty_levels();
    run.levels.truncate(3);
    run.thresholds.retain(|result| result.level < 3);
    run.verdict = Verdict::Inconclusive;
    for level in &mut run.levels {
        let started = level.measured.iterations.started;
        let names = ["ask", "offer", "select", "pay", "confirm the delivery"];
        let steps = names.iter().zip(1..).map(|(name, number)| FunnelStep {
            path: vec!["buy".to_owned(), (*name).to_owned()],
            reached: started - 10 * (number - 1),
            begun: started - 10 * (number - 1),
            passed: started - 10 * number,
            failed: 7,
            unfinished: 3,
            passed_time: times(started - 10 * number, 12.0 * number as f64),
            ..FunnelStep::default()
        });
        level.measured.funnel.steps = steps.collect();
    }
    run.levels[2].issues = vec![LevelIssue::invalid(IssueCause::WorkerBusy {
        busy_percent: 99.2,
        cpu_wait_percent: None,
        limit_percent: 95.0,
    })];
    run.thresholds[2].held = None;
    run.thresholds[2].inconclusive = Some(record::Inconclusive::InvalidLevel);
    run
}

/// A level whose target was known only for part of the time, and ended.
pub(crate) fn target_ended() -> Run {
    let mut run = over_time(runs::healthy());
    let target = run.levels[1].target.get_or_insert_with(TargetUse::default);
    target.ends = vec![record::TargetEnd {
        at_s: 12.0,
        ..record::TargetEnd::default()
    }];
    target.samples.truncate(12);
    run
}

/// An hour: twenty levels of three minutes with 30 kinds of requests, three channels, ten steps, and the threads of the
/// target. The times differ from second to second, as real ones do.
pub(crate) fn one_hour() -> Run {
    let mut run = twenty_levels();
    for (index, level) in run.levels.iter_mut().enumerate() {
        level.phases.ramp_s = 5.0;
        level.phases.warmup_s = 5.0;
        level.phases.duration_s = 170.0;
        let typical_ms = 3.0 + index as f64;
        let measured = &mut level.measured;
        for number in 0..30 {
            let mut timings = varied(typical_ms + f64::from(number) / 3.0);
            timings.service = timings.response.clone();
            let name = format!("GET /shops/:shop/items/:item/part-{number}");
            measured.requests.insert(name, timings);
        }
        for channel in ["code-change", "cursor-change", "chat"] {
            let varied = varied(typical_ms * 2.0);
            let mut all = deliveries(20_000, typical_ms * 2.0, 40);
            (all.latency, all.blocks) = (varied.response, varied.blocks);
            measured.deliveries.insert(channel.to_owned(), all);
        }
        for number in 0..10 {
            let step = format!("buy > step {number}");
            measured.steps.insert(step, varied(typical_ms * 9.0));
        }
        if let Some(target) = &mut level.target {
            target.busiest_threads = (0..16).map(busy_thread).collect();
        }
    }
    over_time(run)
}

/// 5,000 times in blocks of a level of 170 s.
fn varied(typical_ms: f64) -> Timings {
    let (mut timings, mut blocks) = (Timings::default(), BlockWriter::default());
    for index in 0..5_000_u32 {
        let noise = f64::from(index.wrapping_mul(2_654_435_761) % 10_007) / 10_007.0;
        let wave = 1.0 + (f64::from(index) / 300.0).sin() / 4.0;
        let time = Nanos::from_secs_f64(typical_ms * wave * (0.4 - noise.ln()) / 1e3);
        timings.answered(time, time, index % 900 == 7);
        let at = Nanos::from_millis(u64::from(index) * 34);
        if index % 20 == 19 {
            blocks.close(at, &timings.response, 0);
        }
    }
    timings.blocks = blocks.into_blocks();
    timings
}

fn busy_thread(number: u32) -> ThreadUse {
    ThreadUse {
        pid: 4711,
        tid: 4711 + number,
        name: format!("worker-{number}"),
        cpu_percent: 80.0 - f64::from(number),
        waiting_percent: Some(1.25),
        series: (0..180)
            .map(|second| Some(f64::from(second * (number + 7) % 977) / 9.77))
            .collect(),
    }
}
