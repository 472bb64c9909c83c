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
