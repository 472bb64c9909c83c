use super::*;

#[test]
fn what_came_between_is_counted_with_the_429_behind_it() {
    let mut limited = LimitedSamples::default();
    limited.note(1.01, 100);
    limited.note(1.02, 100);
    limited.note(2.55, 150);
    limited.close(3.0, 160);
    let limited = limited.totals;
    let bin = |at, limited, passed| LimitedBin {
        at,
        limited,
        passed,
        turns: 1,
    };
    assert_eq!(limited.bins, [bin(10, 2, 100), bin(25, 1, 50)]);
    assert_eq!(
        (limited.count, limited.passed, limited.passed_after),
        (3, 160, 10)
    );
}

#[test]
fn a_long_level_takes_no_more_room() {
    let mut limited = LimitedSamples::default();
    for second in 0..100_000_u32 {
        limited.note(f64::from(second), u64::from(second) * 2);
        limited.note_wait(f64::from(second), 1.0);
        limited.note_name(&format!("GET /{second}"));
        limited.add_user(1, 1);
        limited.add_address(&PerAddress {
            address: second.to_string(),
            ..PerAddress::default()
        });
    }
    let limited = limited.totals;
    assert!(
        limited.bins.len() <= BINS_LIMIT as usize,
        "{}",
        limited.bins.len()
    );
    assert!(limited.names.len() <= KEPT && limited.free_at_s.len() <= KEPT);
    assert_eq!(limited.addresses.len(), ADDRESSES_KEPT);
    let sum = |of: fn(&LimitedBin) -> u64| limited.bins.iter().map(of).sum::<u64>();
    assert_eq!(sum(|bin| bin.limited), 100_000);
    assert_eq!(sum(|bin| bin.passed), 199_998);
}

#[test]
fn workers_are_added_up_however_long_their_pieces_are() {
    let mut all = LimitedSamples::default();
    all.close(200.0, 7); // a worker without a 429
    for last in [100.0, 300.0] {
        let mut one = LimitedSamples::default();
        one.note(1.0, 10);
        one.note(last, 20);
        one.add_user(20, 2);
        one.add_address(&PerAddress {
            address: "127.0.0.1".to_owned(),
            users: 1,
            passed: 20,
            limited: 2,
        });
        one.close(last, 25);
        all.merge(one);
    }
    let all = all.totals;
    assert_eq!((all.count, all.passed, all.passed_after), (4, 57, 17));
    assert_eq!((all.first_s, all.last_s, all.end_s), (1.0, 300.0, 300.0));
    assert_eq!(all.bins.iter().map(|bin| bin.passed).sum::<u64>(), 40);
    assert_eq!(all.users.count, 2);
    assert_eq!(all.users.passed.variation(2), Some(0.0));
    assert_eq!(all.addresses[0].passed, 40);
}

/// A worker with 429s at 1 s and at `last_s`, each after ten requests that passed.
fn worker(last_s: f64) -> LimitedSamples {
    let mut one = LimitedSamples::default();
    one.note(1.0, 10);
    one.note(last_s, 20);
    one
}

fn bin(at: u32, count: u64) -> LimitedBin {
    LimitedBin {
        at,
        limited: count,
        passed: count * 10,
        turns: count,
    }
}

#[test]
fn bins_get_twice_as_long_when_a_time_exceeds_their_range() {
    let all = worker(119.95).totals;
    assert_eq!((all.bin_s, all.bins), (0.1, vec![bin(10, 1), bin(1199, 1)]));
    let all = worker(120.05).totals;
    assert_eq!((all.bin_s, all.bins), (0.2, vec![bin(5, 1), bin(600, 1)]));
}

#[test]
fn workers_get_the_bins_of_the_one_with_the_longest() {
    for (first, second) in [(100.05, 300.1), (300.1, 100.05)] {
        let mut all = worker(first);
        all.merge(worker(second));
        let all = all.totals;
        let bins = vec![bin(2, 2), bin(250, 1), bin(750, 1)];
        assert_eq!((all.bin_s, all.bins), (0.4, bins));
    }
    let mut all = worker(50.05);
    all.merge(worker(100.05));
    let bins = vec![bin(10, 2), bin(500, 1), bin(1000, 1)];
    assert_eq!((all.totals.bin_s, all.totals.bins), (0.1, bins));
}

#[test]
fn what_the_responses_to_each_worker_state_is_added_up() {
    let stated = |limit| StatedLimit {
        header: "RateLimit".to_owned(),
        limit,
        count: 1,
        ..StatedLimit::default()
    };
    let one = |name: &str, wait_s, limit| {
        let mut one = worker(2.0);
        one.note_name("both");
        one.note_name(name);
        one.note_wait(1.0, wait_s);
        one.note_stated(&stated(10.0));
        one.note_stated(&stated(limit));
        one
    };
    let mut all = one("first", 3.0, 20.0);
    all.merge(one("second", 60.0, 30.0));
    let all = all.totals;
    let names = ["both", "first", "second"].map(|name| all.names[name]);
    assert_eq!(names, [2, 1, 1]);
    assert_eq!((all.told_to_wait, all.longest_wait_s), (2, 60.0));
    assert_eq!(all.free_at_s, [4.0, 61.0]);
    let limits = all.stated.iter().map(|known| (known.limit, known.count));
    assert_eq!(
        limits.collect::<Vec<_>>(),
        [(10.0, 2), (20.0, 1), (30.0, 1)]
    );
}

#[test]
fn without_a_429_nothing_is_saved() {
    let mut none = LimitedSamples::default();
    none.close(10.0, 5);
    assert_eq!(none.into_record(), None);
    let mut one = LimitedSamples::default();
    one.note(1.0, 3);
    assert_eq!(one.totals().count, 1);
    let saved = one.into_record().unwrap();
    assert_eq!((saved.count, saved.passed), (1, 3));
}

#[test]
fn requests_are_counted_by_name_up_to_a_limit() {
    let mut limited = LimitedSamples::default();
    for name in ["a", "b", "a", "a"] {
        limited.note_name(name);
    }
    for number in 0..100 {
        limited.note_name(&number.to_string());
    }
    limited.note_name("b");
    let names = limited.totals.names;
    assert_eq!((names["a"], names["b"]), (3, 2));
    assert_eq!(names.len(), KEPT);
}

#[test]
fn equal_stated_limits_are_counted_together() {
    let stated = |header: &str, limit, window_s| StatedLimit {
        header: header.to_owned(),
        limit,
        window_s,
        partitioned: false,
        spent: 1,
        count: 2,
    };
    let mut limited = LimitedSamples::default();
    limited.note_stated(&stated("RateLimit", 10.0, None));
    limited.note_stated(&StatedLimit {
        partitioned: true,
        ..stated("RateLimit", 10.0, None)
    });
    limited.note_stated(&stated("RateLimit", 10.0, None));
    // Each of these differs in one property.
    limited.note_stated(&stated("X-RateLimit", 10.0, None));
    limited.note_stated(&stated("RateLimit", 20.0, None));
    limited.note_stated(&stated("RateLimit", 10.0, Some(60.0)));
    let known = &limited.totals.stated;
    assert_eq!(known.len(), 4);
    assert_eq!((known[0].count, known[0].spent), (6, 3));
    assert!(known[0].partitioned && !known[1].partitioned);
    assert_eq!(known[3].window_s, Some(60.0));
    for number in 0..100_u32 {
        limited.note_stated(&stated("RateLimit", 100.0 + f64::from(number), None));
    }
    assert_eq!(limited.totals.stated.len(), KEPT);
}

#[test]
fn times_at_which_a_limit_resets_are_joined_if_they_are_near() {
    let mut limited = LimitedSamples::default();
    limited.note_wait(1.0, 2.0);
    limited.note_wait(2.0, 2.0); // one second later
    limited.note_wait(2.5, 0.1); // the earliest is kept
    limited.note_wait(2.0, 4.0);
    let totals = &limited.totals;
    assert_eq!((totals.told_to_wait, totals.longest_wait_s), (4, 4.0));
    assert_eq!(totals.free_at_s, [2.6, 6.0]);
    for number in 0..100_u32 {
        limited.note_wait(10.0 * f64::from(number), 10.0);
    }
    assert_eq!(limited.totals.free_at_s.len(), KEPT);
}

#[test]
fn counts_of_one_address_are_added_up() {
    let counts = |users, passed, limited| PerAddress {
        address: "127.0.0.9".to_owned(),
        users,
        passed,
        limited,
    };
    let mut limited = LimitedSamples::default();
    limited.add_address(&counts(1, 10, 100));
    limited.add_address(&counts(2, 20, 200));
    limited.add_address(&PerAddress {
        address: "127.0.0.10".to_owned(),
        ..counts(4, 40, 400)
    });
    let addresses = &limited.totals.addresses;
    assert_eq!(addresses[0], counts(3, 30, 300));
    assert_eq!((addresses.len(), addresses[1].limited), (2, 400));
}
