//! Tests steady flows without a burst: from limiters that answer at once, random refusals, and servers with a limited
//! number of slots.

use record::{Finding, Run};

use crate::simulated::{ALL, Chance, Crowd, Headers, Limiter, bucket, crowd};
use crate::{figure, is_near};

/// Returns the finding for a limiter or a server whose passed requests take `time_ms`.
fn found_quick(crowd: &Crowd, limiter: Box<dyn Limiter>, time_ms: u64) -> Option<Finding> {
    let mut limiter = Some(limiter);
    let mut level = crowd.asks(
        0,
        &mut |_, _| limiter.take().unwrap_or_else(|| Box::new(bucket(1.0, 1.0))),
        ALL,
        Headers::None,
    );
    for timings in level.measured.requests.values_mut() {
        timings
            .service
            .record_n(model::Nanos::from_millis(time_ms), timings.count);
    }
    let levels = vec![level];
    capacity::findings(&Run {
        levels,
        ..Run::default()
    })
    .pop()
}

#[test]
fn a_steady_flow_is_a_limiter_at_any_rate() {
    for per_s in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0] {
        for size in [1.0, 2.0, 10.0] {
            for seed in 1..20 {
                let crowd = Crowd {
                    seed,
                    ..crowd(10, 200.0, 60.0)
                };
                let finding = found_quick(&crowd, Box::new(bucket(size, per_s)), 1);
                let finding = finding.unwrap_or_else(|| panic!("{per_s}/s, {size}, seed {seed}"));
                let rate = figure(&finding, "rate_per_s");
                assert!(
                    is_near(rate, per_s, 0.3),
                    "{per_s}/s, {size}, seed {seed}: {rate}"
                );
            }
        }
    }
}

#[test]
fn a_slow_flow_is_a_limiter_after_a_dozen_answers() {
    for (per_s, duration_s) in [(1.0, 15.0), (2.0, 10.0)] {
        for seed in 1..50 {
            let crowd = Crowd {
                seed,
                ..crowd(10, 100.0, duration_s)
            };
            let finding = found_quick(&crowd, Box::new(bucket(1.0, per_s)), 1);
            let finding = finding.unwrap_or_else(|| panic!("{per_s}/s, seed {seed}"));
            let rate = figure(&finding, "rate_per_s");
            assert!(is_near(rate, per_s, 0.3), "{per_s}/s, seed {seed}: {rate}");
        }
    }
}

#[test]
fn a_dozen_quick_answers_by_chance_are_no_limiter() {
    for seed in 1..500 {
        for (share, duration_s) in [(0.99, 15.0), (0.98, 10.0), (0.5, 15.0)] {
            let crowd = Crowd {
                seed,
                ..crowd(10, 100.0, duration_s)
            };
            let chance = Chance {
                share,
                state: seed * 7 + 3,
            };
            let found = found_quick(&crowd, Box::new(chance), 1);
            assert!(found.is_none(), "seed {seed}, share {share}: {found:#?}");
        }
    }
}

#[test]
fn quick_answers_refused_by_chance_are_no_limiter() {
    for seed in 1..100 {
        for share in [0.2, 0.5, 0.9, 0.99] {
            let crowd = Crowd {
                seed,
                ..crowd(10, 200.0, 60.0)
            };
            let chance = Chance {
                share,
                state: seed * 7 + 3,
            };
            let found = found_quick(&crowd, Box::new(chance), 1);
            assert!(found.is_none(), "seed {seed}, share {share}: {found:#?}");
        }
    }
}

#[test]
fn an_even_flow_of_answers_that_take_their_time_may_be_one_of_places() {
    let crowd = crowd(10, 200.0, 60.0);
    let found = found_quick(&crowd, Box::new(bucket(1.0, 20.0)), 50);
    assert!(
        found.is_none(),
        "one place of 50 ms looks the same: {found:#?}"
    );
}
