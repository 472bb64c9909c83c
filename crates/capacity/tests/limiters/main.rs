//! Simulated limiters with known parameters. `statistics` counts the requests that the limiters let through.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers of simulated requests"
)]

mod queued;
mod simulated;
mod statistics;
mod steady;

use std::collections::HashMap;

use record::{
    Cause, Confidence, Finding, Level, LimitKey, LimiterKind, OneAddress, RateLimiter, Run, Unknown,
};

use simulated::{
    ALL, BY_ADDRESS, BY_USER, Chance, Crowd, Fixed, Headers, Limiter, bucket, crowd, fixed, sliding,
};
use statistics::{Refused, statistics};

fn found(
    crowd: &Crowd,
    mut limiter: impl FnMut() -> Box<dyn Limiter>,
    key: fn(usize, usize) -> usize,
    headers: Headers,
) -> Option<Finding> {
    let levels = vec![crowd.asks(0, &mut |_, _| limiter(), key, headers)];
    let run = Run {
        levels,
        sources: crowd.sources(),
        target: "http://127.0.0.1:1".into(),
        ..Run::default()
    };
    capacity::findings(&run).pop()
}

fn limiter_of(finding: &Finding) -> &RateLimiter {
    match &finding.cause {
        Cause::RateLimiter(limiter) => limiter,
        other => panic!("{other:?}"),
    }
}

fn figure(finding: &Finding, name: &str) -> f64 {
    let figures = serde_json::to_value(limiter_of(finding)).ok();
    figures
        .and_then(|figures| figures[name].as_f64())
        .unwrap_or_else(|| panic!("no {name}: {finding:#?}"))
}

fn is_near(value: f64, truth: f64, share: f64) -> bool {
    (value - truth).abs() <= truth * share
}

#[test]
fn a_window_longer_than_the_run_is_told_as_at_least() {
    let finding = found(
        &crowd(10, 100.0, 30.0),
        || Box::new(fixed(100, 900.0)),
        ALL,
        Headers::None,
    )
    .unwrap();
    assert!(is_near(figure(&finding, "limit"), 100.0, 0.01));
    assert!(
        (28.0..=30.0).contains(&figure(&finding, "window_at_least_s")),
        "{finding:#?}"
    );
    let limiter = limiter_of(&finding);
    assert_eq!((limiter.window_s, limiter.kind), (None, None));
    assert_eq!(finding.confidence, Confidence::Low, "a ban looks the same");
    assert_eq!(finding.limits, [0]);
}

#[test]
fn a_window_longer_than_the_run_is_known_from_retry_after() {
    let finding = found(
        &crowd(10, 100.0, 30.0),
        || Box::new(fixed(100, 900.0)),
        ALL,
        Headers::Wait,
    )
    .unwrap();
    assert!(is_near(figure(&finding, "window_s"), 900.0, 0.005));
    assert!(is_near(figure(&finding, "limit"), 100.0, 0.01));
    let limiter = limiter_of(&finding);
    assert!(!limiter.limit_stated && !limiter.window_stated);
    assert_eq!(finding.confidence, Confidence::High);
}

#[test]
fn what_headers_state_is_certain_when_the_counts_agree() {
    let policy = Headers::Policy(100.0, 900.0);
    let finding = found(
        &crowd(10, 100.0, 30.0),
        || Box::new(fixed(100, 900.0)),
        ALL,
        policy,
    )
    .unwrap();
    let limiter = limiter_of(&finding);
    assert_eq!(
        (limiter.limit, limiter.window_s),
        (Some(100.0), Some(900.0))
    );
    assert!(limiter.limit_stated && limiter.window_stated);
    assert_eq!(limiter.per, [LimitKey::All, LimitKey::Address]);
    assert_eq!(finding.confidence, Confidence::Certain);
}

#[test]
fn a_fixed_window_is_worked_out_from_the_counts_alone() {
    let limiter = || -> Box<dyn Limiter> { Box::new(fixed(50, 2.0)) };
    let finding = found(&crowd(10, 200.0, 20.0), limiter, ALL, Headers::None).unwrap();
    assert!(
        is_near(figure(&finding, "limit"), 50.0, 0.01)
            && is_near(figure(&finding, "window_s"), 2.0, 0.02)
    );
    assert_eq!(finding.confidence, Confidence::High);
}

#[test]
fn windows_by_the_clock_are_told_as_fixed() {
    let limiter = || -> Box<dyn Limiter> {
        Box::new(Fixed {
            begins: Some(-1.2),
            ..fixed(50, 2.0)
        })
    };
    let finding = found(&crowd(10, 200.0, 20.0), limiter, ALL, Headers::None).unwrap();
    assert_eq!(limiter_of(&finding).kind, Some(LimiterKind::FixedWindow));
    assert!(is_near(figure(&finding, "window_s"), 2.0, 0.02));
}

#[test]
fn a_sliding_window_is_never_told_as_a_fixed_one() {
    let limiter = || -> Box<dyn Limiter> { Box::new(sliding(200, 3.0)) };
    let finding = found(&crowd(5, 400.0, 30.0), limiter, ALL, Headers::None).unwrap();
    assert!(
        is_near(figure(&finding, "limit"), 200.0, 0.1),
        "{finding:#?}"
    );
    assert!(
        is_near(figure(&finding, "window_s"), 3.0, 0.1),
        "{finding:#?}"
    );
    assert_ne!(limiter_of(&finding).kind, Some(LimiterKind::FixedWindow));
}

#[test]
fn a_token_bucket_is_told_by_its_rate_and_its_burst() {
    let limiter = || -> Box<dyn Limiter> { Box::new(bucket(100.0, 20.0)) };
    let finding = found(&crowd(10, 100.0, 30.0), limiter, ALL, Headers::None).unwrap();
    assert_eq!(limiter_of(&finding).kind, Some(LimiterKind::TokenBucket));
    assert!(
        is_near(figure(&finding, "rate_per_s"), 20.0, 0.03),
        "{finding:#?}"
    );
    let burst = figure(&finding, "burst");
    assert!((89.0..110.0).contains(&burst), "{burst}");
}

#[test]
fn a_limit_by_user_is_told_by_users_who_ask_for_different_amounts() {
    let uneven = Crowd {
        uneven: true,
        ..crowd(20, 400.0, 30.0)
    };
    let finding = found(
        &uneven,
        || Box::new(fixed(25, 900.0)),
        BY_USER,
        Headers::Wait,
    )
    .unwrap();
    assert_eq!(limiter_of(&finding).per, [LimitKey::User], "{finding:#?}");
    assert!(is_near(figure(&finding, "limit"), 25.0, 0.02));
    assert!(
        is_near(figure(&finding, "window_s"), 900.0, 0.01),
        "{finding:#?}"
    );
}

#[test]
fn a_limit_by_address_is_told_by_several_addresses() {
    let many = Crowd {
        addresses: 4,
        ..crowd(20, 200.0, 30.0)
    };
    let policy = Headers::Policy(100.0, 900.0);
    let finding = found(&many, || Box::new(fixed(100, 900.0)), BY_ADDRESS, policy).unwrap();
    assert_eq!(
        limiter_of(&finding).per,
        [LimitKey::Address],
        "{finding:#?}"
    );
    let finding = found(&many, || Box::new(fixed(100, 900.0)), ALL, policy).unwrap();
    assert_eq!(limiter_of(&finding).per, [LimitKey::All], "{finding:#?}");
    let uneven = Crowd {
        uneven: true,
        users: 7,
        addresses: 3,
        ..many
    };
    let finding = found(
        &uneven,
        || Box::new(fixed(100, 900.0)),
        BY_ADDRESS,
        Headers::None,
    )
    .unwrap();
    assert!(
        !limiter_of(&finding).per.contains(&LimitKey::User),
        "{finding:#?}"
    );
}

#[test]
fn levels_with_more_users_tell_a_limit_by_user_from_one_for_all() {
    for (key, name) in [(ALL, LimitKey::All), (BY_USER, LimitKey::User)] {
        let levels = [5, 15].iter().enumerate().map(|(index, users)| {
            let crowd = crowd(*users, 60.0 * *users as f64, 20.0);
            crowd.asks(
                index,
                &mut |_, _| Box::new(fixed(20, 2.0)),
                key,
                Headers::None,
            )
        });
        let run = Run {
            levels: levels.collect(),
            ..Run::default()
        };
        let finding = capacity::findings(&run).pop().unwrap();
        let per = &limiter_of(&finding).per;
        assert!(per.contains(&name), "{finding:#?}");
        let by_user = name == LimitKey::User;
        assert_eq!(per.contains(&LimitKey::User), by_user, "{finding:#?}");
    }
}

/// Two levels on one limiter by address, which lets 20 requests pass in 15 minutes. There are as many addresses as
/// users, but at most 6.
fn two_levels(used_before: &[usize], setup: Option<record::Setup>) -> Option<Finding> {
    let policy = Headers::Policy(20.0, 900.0);
    let mut limiters: HashMap<usize, Box<dyn Limiter>> = HashMap::new();
    for (address, used) in used_before.iter().enumerate() {
        let mut one = fixed(20, 900.0);
        (0..*used).for_each(|_| assert!(one.admits(0.0)));
        limiters.insert(address, Box::new(one));
    }
    let mut fresh = |_, _| -> Box<dyn Limiter> { Box::new(fixed(20, 900.0)) };
    let levels = [4_usize, 16].iter().enumerate().map(|(index, users)| {
        let crowd = Crowd {
            addresses: 6.min(*users),
            ..crowd(*users, 50.0 * *users as f64, 3.0)
        };
        crowd.asks_on(index, &mut fresh, BY_ADDRESS, policy, &mut limiters)
    });
    let run = Run {
        levels: levels.collect(),
        setup,
        sources: Some(record::Sources {
            given: vec![],
            addresses: 6,
        }),
        ..Run::default()
    };
    capacity::findings(&run).pop()
}

#[test]
fn addresses_that_an_earlier_level_used_up_do_not_hide_a_limit_by_address() {
    let finding = two_levels(&[], None).unwrap();
    // In the first level, no two users share an address.
    let per = &limiter_of(&finding).per;
    assert_eq!(*per, [LimitKey::Address, LimitKey::User], "{finding:#?}");
    assert_eq!(finding.confidence, Confidence::Certain);
}

#[test]
fn addresses_that_the_set_up_used_do_not_hide_a_limit_by_address() {
    let finding = two_levels(&[15, 0, 5, 0], Some(record::Setup::default())).unwrap();
    let per = &limiter_of(&finding).per;
    assert!(per.contains(&LimitKey::Address), "{finding:#?}");
}

#[test]
fn who_was_refused_is_not_taken_for_all_who_came() {
    let crowd = Crowd {
        addresses: 2,
        ..crowd(4, 50.0, 3.0)
    };
    // Only the first address reaches its limit.
    let mut limiter = |_, address| -> Box<dyn Limiter> {
        Box::new(fixed(if address == 0 { 20 } else { 100_000 }, 900.0))
    };
    let policy = Headers::Policy(20.0, 900.0);
    let run = Run {
        levels: vec![crowd.asks(0, &mut limiter, BY_ADDRESS, policy)],
        setup: Some(record::Setup::default()),
        sources: crowd.sources(),
        ..Run::default()
    };
    let unknown = capacity::findings(&run).pop().unwrap().unknown;
    let used = Unknown::AddressOrAll {
        because: Some(OneAddress::Used),
    };
    assert!(!unknown.contains(&used), "{unknown:?}");
}

#[test]
fn targets_that_answer_429_by_chance_are_no_limiters() {
    for seed in 1..200 {
        for share in [0.01, 0.05, 0.2, 0.5, 0.9] {
            for (users, per_s, for_s) in [(1, 20.0, 10.0), (10, 200.0, 30.0), (50, 2000.0, 12.0)] {
                let crowd = Crowd {
                    seed,
                    ..crowd(users, per_s, for_s)
                };
                let limiter = || -> Box<dyn Limiter> {
                    Box::new(Chance {
                        share,
                        state: seed * 7 + 3,
                    })
                };
                let levels = vec![crowd.asks(0, &mut |_, _| limiter(), ALL, Headers::Wait)];
                let run = Run {
                    levels,
                    ..Run::default()
                };
                let found = capacity::findings(&run);
                assert!(
                    found.is_empty(),
                    "seed {seed}, share {share}, {per_s}/s: {found:#?}"
                );
            }
        }
    }
}

#[test]
fn a_target_that_serves_so_many_at_once_is_no_limiter() {
    // Each request occupies one of 10 slots for 100 ms to 140 ms, or is refused at once if no slot is free.
    let mut chance = Chance {
        share: 0.0,
        state: 5,
    };
    let (mut refused, mut places) = (Vec::new(), vec![0.0_f64; 10]);
    let (mut at, mut begun) = (0.0, Vec::new());
    while at < 30.0 {
        match places.iter_mut().find(|until| **until <= at) {
            Some(place) => {
                *place = at + 0.1 + 0.04 * chance.next();
                begun.push(*place);
            }
            None => refused.push(Refused {
                at_s: at,
                passed: begun.iter().filter(|done| **done <= at).count() as u64,
                wait_s: None,
            }),
        }
        at -= (1.0 - chance.next()).ln() / 300.0;
    }
    let limited = statistics(&refused, 30.0, begun.len() as u64);
    let level = crowd(50, 300.0, 30.0).level(0, limited);
    let run = Run {
        levels: vec![level],
        ..Run::default()
    };
    assert!(
        capacity::findings(&run).is_empty(),
        "{:#?}",
        capacity::findings(&run)
    );
}

#[test]
fn who_is_never_refused_meets_no_limiter() {
    let run = Run {
        levels: vec![Level::default()],
        ..Run::default()
    };
    assert!(capacity::findings(&run).is_empty());
}
