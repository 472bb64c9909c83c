use record::{GeneratorUse, Iterations, Phases};

use super::*;

fn level(generator: GeneratorUse) -> Level {
    Level {
        phases: Phases {
            hold_s: 10.0,
            ..Phases::default()
        },
        generator,
        ..Level::default()
    }
}

fn times(count: u64, time: Nanos) -> Histogram {
    let mut times = Histogram::default();
    (0..count).for_each(|_| times.record(time));
    times
}

/// `sound`, or the first word that says what is wrong, with its severity.
fn verdict(level: &Level) -> &'static str {
    let doubts = doubts(level);
    match (doubts.not_sound.is_empty(), doubts.suspect.is_empty()) {
        (false, _) => "not sound",
        (true, false) => "suspect",
        (true, true) => "sound",
    }
}

#[test]
fn a_busy_worker_is_suspect_and_a_full_one_not_sound() {
    let busy = |busy| {
        verdict(&level(GeneratorUse {
            busiest_worker_percent: Some(busy),
            ..GeneratorUse::default()
        }))
    };
    assert_eq!(busy(60.0), "sound");
    assert_eq!(busy(80.0), "sound");
    assert_eq!(busy(85.0), "suspect");
    assert_eq!(busy(95.0), "suspect");
    assert_eq!(busy(96.0), "not sound");
}

#[test]
fn the_wait_of_one_worker_is_not_added_to_the_work_of_another() {
    let worker = |busy, waited| record::WorkerUse {
        busy_percent: busy,
        cpu_wait_percent: Some(waited),
        ..record::WorkerUse::default()
    };
    let two = level(GeneratorUse {
        busiest_worker_percent: Some(91.0),
        cpu_wait_percent: Some(4.5),
        workers: vec![worker(91.0, 2.0), worker(30.0, 4.5)],
        ..GeneratorUse::default()
    });
    let doubts = doubts(&two);
    assert_eq!(doubts.not_sound, Vec::<String>::new());
    let text = &doubts.suspect[0];
    assert!(
        text.contains("had work for 91 % of the hold, for 2 % of it without a CPU (limit 80 %)"),
        "{text}"
    );
}

#[test]
fn a_late_start_names_the_limit_that_it_broke() {
    let text = |lag: Nanos, response: Nanos| {
        let mut level = level(GeneratorUse {
            start_lag: times(1000, lag),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        (0..1000).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        let doubts = doubts(&level);
        doubts
            .not_sound
            .into_iter()
            .chain(doubts.suspect)
            .next()
            .unwrap()
    };
    let ms = Nanos::from_millis;
    let longest = text(ms(12), ms(5000));
    assert!(longest.contains("(limit 10 ms)"), "{longest}");
    let long = text(ms(4), ms(6));
    assert!(long.contains("(limit 2 ms and 25 % of it)"), "{long}");
    let doubtful = text(ms(2), ms(10));
    assert!(
        doubtful.contains("(limit 500 µs and 5 % of it)"),
        "{doubtful}"
    );
}

#[test]
fn waiting_for_a_cpu_counts_by_what_it_does() {
    let waits = |percent, starved, lag| {
        let mut level = level(GeneratorUse {
            cpu_wait_percent: Some(percent),
            starved_percent: Some(starved),
            start_lag: times(1000, lag),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        let response = Nanos::from_millis(8);
        (0..1000).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        level
    };
    let (short, long) = (Nanos::from_micros(100), Nanos::from_millis(4));
    assert_eq!(
        verdict(&waits(1.5, 53.0, short)),
        "sound",
        "more than it worked, which is next to nothing"
    );
    assert_eq!(
        verdict(&waits(12.0, 15.0, short)),
        "sound",
        "and nothing came late for it"
    );
    let late = waits(12.0, 15.0, long);
    assert_eq!(verdict(&late), "not sound");
    let text = &doubts(&late).not_sound[0];
    assert!(text.contains("had no CPU for 12 % of the time"), "{text}");
}

#[test]
fn a_slowed_closed_load_is_doubtful() {
    let slowed = |read_ms| {
        let mut level = level(GeneratorUse {
            read_delay: Some(times(50, Nanos::from_millis(read_ms))),
            ..GeneratorUse::default()
        });
        level.load = record::Load {
            users: 1,
            groups: 1,
            ..record::Load::default()
        };
        let mut timings = Timings::default();
        let response = Nanos::from_millis(50);
        (0..100).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    assert_eq!(slowed(1), "sound", "1 % of 10 s");
    assert_eq!(
        slowed(30),
        "not sound",
        "30 ms of at most 50 and 30 % of the time"
    );
}

#[test]
fn delays_too_short_to_spoil_a_time_are_doubtful_where_they_slow_the_users_down() {
    let slowed = |requests| {
        let mut level = level(GeneratorUse {
            read_delay: Some(times(50, Nanos::from_micros(400))),
            ..GeneratorUse::default()
        });
        (level.load.users, level.load.groups) = (1, 1);
        let mut timings = Timings::default();
        let response = Nanos::from_millis(1);
        (0..requests).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    assert_eq!(slowed(6_000), "sound", "2.4 s of 10 s");
    assert_eq!(slowed(7_000), "suspect", "2.8 s");
    assert_eq!(slowed(13_000), "not sound", "5.2 s");
}

#[test]
fn a_script_that_cannot_keep_up_is_suspect() {
    let collecting = |pause| GeneratorUse {
        gc_pause_ms_max: Some(pause),
        ..GeneratorUse::default()
    };
    assert_eq!(verdict(&level(collecting(20.0))), "sound");
    assert_eq!(verdict(&level(collecting(21.0))), "suspect");
    let overrun = |dropped_queue| GeneratorUse {
        dropped_queue,
        ..GeneratorUse::default()
    };
    assert_eq!(verdict(&level(overrun(0))), "sound");
    assert_eq!(verdict(&level(overrun(1))), "suspect");
}

#[test]
fn shares_of_a_hold_that_is_too_short_judge_nothing_and_it_says_so() {
    let held = |hold_s| {
        let mut level = level(GeneratorUse {
            busiest_worker_percent: Some(100.0),
            cpu_wait_percent: Some(40.0),
            starved_percent: Some(60.0),
            ..GeneratorUse::default()
        });
        level.phases.hold_s = hold_s;
        doubts(&level)
    };
    let short = held(0.000_4);
    assert_eq!(short.not_sound, Vec::<String>::new());
    assert!(
        short.suspect[0].contains("measured for 0.4 ms") && short.suspect[0].contains("100 ms"),
        "{short:?}"
    );
    assert_eq!(held(0.1).not_sound.len(), 1, "as ever from there on");
}

#[test]
fn a_quota_that_stopped_the_generator_is_noticed() {
    let stopped = |ms| {
        verdict(&level(GeneratorUse {
            throttled_ms: Some(ms),
            ..GeneratorUse::default()
        }))
    };
    assert_eq!(stopped(0.0), "sound");
    assert_eq!(stopped(50.0), "suspect", "half a per cent");
    assert_eq!(stopped(150.0), "not sound");
}

#[test]
fn delays_are_judged_by_what_they_spoil() {
    let late = |count, lag: Nanos, response: Nanos| {
        let mut level = level(GeneratorUse {
            start_lag: times(count, lag),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        (0..count).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    let ms = Nanos::from_millis;
    assert_eq!(
        late(1000, ms(12), ms(5000)),
        "not sound",
        "whatever is measured"
    );
    assert_eq!(
        late(1000, ms(10), ms(5000)),
        "sound",
        "only what is more than 10 ms"
    );
    assert_eq!(
        late(1000, ms(4), ms(6)),
        "not sound",
        "most of the time is ours"
    );
    assert_eq!(late(1000, ms(4), ms(16)), "suspect", "no more than 25 %");
    assert_eq!(late(1000, ms(2), ms(4)), "suspect", "no more than 2 ms");
    assert_eq!(
        late(1000, ms(4), Nanos::ZERO),
        "sound",
        "nothing that it could be a share of"
    );
    assert_eq!(late(1000, ms(4), ms(500)), "sound", "small beside it");
    assert_eq!(late(1000, ms(2), ms(10)), "suspect");
    assert_eq!(
        late(150, ms(12), ms(5000)),
        "not sound",
        "p90 where there is no p99"
    );
    assert_eq!(late(20, ms(12), ms(5000)), "sound", "too few to tell");
    assert_eq!(
        late(20, ms(12), ms(30)),
        "not sound",
        "the longest where there is no p90"
    );
}

#[test]
fn late_readings_are_judged_like_late_starts() {
    let late = level(GeneratorUse {
        read_delay: Some(times(2000, Nanos::from_millis(15))),
        ..GeneratorUse::default()
    });
    assert_eq!(verdict(&late), "not sound");
    assert!(doubts(&late).not_sound[0].contains("what the kernel had received was read"));
}

#[test]
fn inexact_receipts_are_judged_like_late_starts() {
    let error = |error| {
        let mut level = level(GeneratorUse {
            receipt_error: Some(times(2000, error)),
            ..GeneratorUse::default()
        });
        let mut timings = Timings::default();
        let response = Nanos::from_millis(20);
        (0..2000).for_each(|_| timings.answered(response, response, false));
        level.measured.requests.insert("GET /".to_owned(), timings);
        verdict(&level)
    };
    assert_eq!(error(Nanos::from_micros(900)), "sound");
    assert_eq!(error(Nanos::from_millis(3)), "suspect");
    assert_eq!(error(Nanos::from_millis(15)), "not sound");
}

#[test]
fn starts_that_the_generator_missed_are_not_those_that_found_nobody() {
    let dropped = |why: &str, count: u64| {
        let mut level = level(GeneratorUse::default());
        level.measured.iterations = Iterations {
            planned: 1000,
            started: 1000 - count,
            succeeded: 1000 - count,
            dropped: count,
            dropped_why: [(why.to_owned(), count)].into(),
            ..Iterations::default()
        };
        verdict(&level)
    };
    assert_eq!(dropped("the generator was behind", 10), "not sound");
    assert_eq!(dropped("the generator was behind", 1), "suspect");
    assert_eq!(
        dropped("no user was free: …", 500),
        "suspect",
        "that is the target's doing, or the plan's"
    );
}

#[test]
fn a_broken_law_is_a_fault_of_the_measurement() {
    let mut broken = level(GeneratorUse::default());
    broken.little = Some(record::Little {
        at_work: 10.0,
        per_s: 100.0,
        time_s: 0.05,
        holds: false,
    });
    assert!(doubts(&broken).not_sound[0].contains("make 5.0"));
}

#[test]
fn a_dropped_start_tells_its_main_cause() {
    let mut level = level(GeneratorUse::default());
    let why = |dropped: crate::open::Dropped| dropped.as_str().to_owned();
    level.measured.iterations = Iterations {
        planned: 100,
        dropped: 30,
        dropped_why: [
            (why(crate::open::Dropped::Awaiting), 20),
            (why(crate::open::Dropped::AtWork), 7),
            (why(crate::open::Dropped::Behind), 3),
        ]
        .into(),
        ..Iterations::default()
    };
    let text = &doubts(&level).suspect[0];
    let expected =
        "27 of 100 planned starts found no user free (most awaited the target's answers)";
    assert!(text.starts_with(expected), "{text}");
}
