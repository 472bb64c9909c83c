use std::sync::Arc;

use model::{Timing, UserId};
use script::host::OpId;
use wire::http::Policy;

use super::*;
use crate::empty_world::empty_world;
use crate::http::Asker;
use crate::level::Span;
use crate::people::User;
use crate::recorder::Ending;

/// The level of these tests starts at this time.
const START: Nanos = Nanos::from_secs(100);

/// A level with this number of users.
fn level_of(users: u32) -> LevelState {
    let mut level = LevelState {
        start: START,
        ..LevelState::default()
    };
    level.recorder.hold = Span {
        start: START,
        end: Nanos::MAX,
    };
    for number in 0..users {
        level.users.add(User::new("user", 0, number, 0));
    }
    level
}

/// Ends a request for `/a` of this user, at this time since the level's start.
fn ends(level: &mut LevelState, user: u32, at_ms: u64) -> Asked {
    let now = START + Nanos::from_millis(at_ms);
    let name = level.recorder.name(Family::Request, "/a");
    let timing = Timing {
        planned: now,
        started: now,
        ended: now,
    };
    let ending = Ending::Answered { failed: false };
    level.recorder.time(Family::Request, name, timing, ending);
    let mut asked = Asked::by(Asker::Script(OpId(1)), UserId(user), now);
    asked.name = name;
    asked
}

/// Refuses a request of this user with status 429, at this time since the level's start.
fn refuses(level: &mut LevelState, user: u32, at_ms: u64, quota: Quota) {
    let asked = ends(level, user, at_ms);
    note_limited(level, &asked, || quota, START + Nanos::from_millis(at_ms));
}

/// The responses on the user's connections, which are known once these are closed.
fn responses(level: &mut LevelState, user: u32, all: u32) {
    level.users.get(UserId(user)).unwrap().responses.all = all;
}

fn config_with(sources: &[&str]) -> RunConfig {
    let mut config = Arc::into_inner(empty_world().base.config).unwrap();
    let sources = sources.iter().map(|source| source.parse().unwrap());
    config.options.source = sources.collect();
    config
}

#[test]
fn a_429_is_counted_with_the_requests_that_passed_before_it() {
    let mut level = level_of(2);
    ends(&mut level, 0, 100);
    ends(&mut level, 0, 200);
    refuses(&mut level, 1, 250, Quota::default());
    ends(&mut level, 0, 300);
    refuses(&mut level, 1, 1250, Quota::default());
    responses(&mut level, 0, 3);
    responses(&mut level, 1, 2);
    ends(&mut level, 0, 1500);
    let end = START + Nanos::from_secs(2);
    let limited = take_limited(&mut level, &config_with(&[]), end);
    let limited = limited.into_record().unwrap();
    assert_eq!((limited.count, limited.passed), (2, 4));
    assert_eq!(limited.passed_after, 1);
    assert_eq!((limited.first_s, limited.last_s), (0.25, 1.25));
    assert_eq!((limited.end_s, limited.names["/a"]), (2.0, 2));
    let bins = limited.bins.iter().map(|bin| (bin.at, bin.passed));
    assert_eq!(bins.collect::<Vec<_>>(), [(2, 2), (12, 1)]);
    // Only the second user was refused.
    assert_eq!(limited.users.count, 1);
    assert_eq!(
        (limited.users.asked.sum, limited.users.passed.sum),
        (2.0, 0.0)
    );
    assert!(limited.addresses.is_empty());
}

#[test]
fn without_a_429_only_the_passed_requests_are_counted() {
    let mut level = level_of(1);
    ends(&mut level, 0, 100);
    responses(&mut level, 0, 1);
    let limited = take_limited(&mut level, &config_with(&[]), START);
    assert_eq!((limited.totals().count, limited.totals().passed), (0, 1));
}

#[test]
fn each_address_in_use_has_the_counts_of_its_users() {
    let counts = |address: &str, users, passed, limited| PerAddress {
        address: address.to_owned(),
        users,
        passed,
        limited,
    };
    // Users 0 and 3 have the first address, users 1 and 4 the second, user 2 the third. User 4 has no response.
    let mut level = level_of(5);
    refuses(&mut level, 0, 100, Quota::default());
    refuses(&mut level, 0, 200, Quota::default());
    refuses(&mut level, 3, 300, Quota::default());
    for (user, all) in [(0, 10), (1, 20), (3, 40)] {
        responses(&mut level, user, all);
    }
    let config = config_with(&["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    let limited = take_limited(&mut level, &config, START);
    let expected = [
        counts("127.0.0.1", 2, 8 + 39, 3),
        counts("127.0.0.2", 1, 20, 0),
    ];
    assert_eq!(limited.totals().addresses, expected);
    assert_eq!(limited.totals().users.count, 2);
}

#[test]
fn a_single_address_is_not_counted_separately() {
    let mut level = level_of(1);
    refuses(&mut level, 0, 100, Quota::default());
    responses(&mut level, 0, 1);
    let limited = take_limited(&mut level, &config_with(&["127.0.0.1"]), START);
    assert!(limited.totals().addresses.is_empty());
}

#[test]
fn the_limits_and_waits_that_responses_state_are_noted() {
    let mut level = level_of(1);
    let quota = Quota {
        policies: vec![Policy {
            limit: 20.0,
            window_s: Some(60.0),
            spent: true,
            header: "RateLimit",
            ..Policy::default()
        }],
        wait_s: Some(3.0),
        ..Quota::default()
    };
    refuses(&mut level, 0, 500, quota);
    refuses(&mut level, 0, 600, Quota::default());
    let limited = take_limited(&mut level, &config_with(&[]), START);
    let stated = StatedLimit {
        header: "RateLimit".to_owned(),
        limit: 20.0,
        window_s: Some(60.0),
        partitioned: false,
        spent: 1,
        count: 1,
    };
    let totals = limited.totals();
    assert_eq!(totals.stated, [stated]);
    assert_eq!((totals.told_to_wait, totals.longest_wait_s), (1, 3.0));
    assert_eq!(totals.free_at_s, vec![3.5]);
}

#[test]
fn the_headers_of_the_first_responses_in_each_time_bin_are_read() {
    let mut level = level_of(1);
    let waits = || Quota {
        wait_s: Some(1.0),
        ..Quota::default()
    };
    for _ in 0..READ_PER_BIN + 10 {
        refuses(&mut level, 0, 50, waits());
    }
    refuses(&mut level, 0, 150, waits());
    let limited = take_limited(&mut level, &config_with(&[]), START);
    assert_eq!(limited.totals().told_to_wait, READ_PER_BIN + 1);
}
