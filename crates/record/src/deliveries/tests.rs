use model::{LossReason, Nanos};

use super::*;

fn misplaced(lost: u64, first: Option<Mismatch>) -> Deliveries {
    Deliveries {
        delivered: 90,
        late: 5,
        misplaced: Misplaced {
            stamps: lost,
            lost,
            first,
        },
        ..Deliveries::default()
    }
}

fn place() -> Mismatch {
    Mismatch::Place {
        looks: "/a".to_owned(),
        stands: "/b".to_owned(),
    }
}

#[test]
fn stamps_elsewhere_explain_losses_if_they_are_the_rule_or_came_in_arrays() {
    for (lost, first, explained) in [
        (95, Some(place()), 0),
        (96, Some(place()), 96),
        (5, Some(Mismatch::Array), 5),
        (0, Some(Mismatch::Array), 0),
    ] {
        assert_eq!(misplaced(lost, first).looks_elsewhere(), explained);
    }
}

fn cut() -> Mismatch {
    Mismatch::Cut {
        documents: "newline".to_owned(),
    }
}

#[test]
fn a_target_that_cuts_documents_may_have_cut_every_lost_stamp() {
    let mut one = misplaced(5, Some(cut()));
    one.lost = [(LossReason::Misplaced, 5), (LossReason::NeverSeen, 2)].into();
    assert_eq!(one.lost_by_script(), 7);
    one.lost.insert(LossReason::OwnCopy, 3);
    (one.own_copies.expected, one.own_copies.lost) = (3, 3);
    assert_eq!(one.lost_by_script(), 10, "each loss counts once");
}

#[test]
fn snapshots_explain_losses_only_if_nothing_else_arrived() {
    let of = |delivered, in_snapshots| Deliveries {
        delivered,
        in_snapshots,
        lost: [(LossReason::NeverSeen, 9), (LossReason::OwnCopy, 3)].into(),
        own_copies: OwnCopies {
            expected: 3,
            lost: 3,
            unexpected: 0,
        },
        ..Deliveries::default()
    };
    assert_eq!(of(0, 12).lost_by_script(), 12);
    assert_eq!(of(0, 11).lost_by_script(), 3, "only the own copies");
    assert_eq!(of(1, 12).lost_by_script(), 3, "only the own copies");
    let mut one = of(0, 5);
    one.merge(&of(0, 7));
    assert_eq!(one.in_snapshots, 12);
}

#[test]
fn an_array_that_any_worker_saw_is_the_difference_that_is_kept() {
    for (ours, theirs, kept) in [
        (None, None, None),
        (Some(place()), None, Some(place())),
        (None, Some(place()), Some(place())),
        (Some(place()), Some(Mismatch::Array), Some(Mismatch::Array)),
        (Some(Mismatch::Array), Some(place()), Some(Mismatch::Array)),
        (Some(place()), Some(cut()), Some(cut())),
    ] {
        let mut one = misplaced(1, ours);
        one.merge(&misplaced(2, theirs));
        assert_eq!((one.misplaced.lost, one.misplaced.first), (3, kept));
    }
}

fn missing(own_expected: u64, own_lost: u64, elsewhere: u64) -> Deliveries {
    Deliveries {
        own_copies: OwnCopies {
            expected: own_expected,
            lost: own_lost,
            unexpected: 0,
        },
        ..misplaced(elsewhere, Some(Mismatch::Array))
    }
}

#[test]
fn own_copies_explain_losses_only_if_none_of_them_came_back() {
    for (expected, lost, explained) in [(0, 0, 0), (7, 0, 0), (7, 6, 0), (7, 7, 7)] {
        assert_eq!(missing(expected, lost, 0).has_no_echo(), explained);
    }
    assert_eq!(missing(7, 7, 5).lost_by_script(), 12);
    assert_eq!(missing(7, 6, 5).lost_by_script(), 5);
}

#[test]
fn messages_that_return_are_the_rule_if_most_do_and_nothing_else_went_astray() {
    for (messages, returned, others, echo) in [
        (9, 5, 0, 5),
        (9, 9, 0, 9),
        (10, 5, 0, 0),
        (9, 4, 0, 0),
        (9, 5, 1, 0),
        (10, 4, 1, 0),
        (1, 0, 0, 0),
    ] {
        let of = Deliveries {
            messages,
            own_copies: OwnCopies {
                unexpected: returned,
                ..OwnCopies::default()
            },
            misdelivered: [
                (MisdeliveryReason::OutsideAudience, returned),
                (MisdeliveryReason::AnotherGroup, others),
            ]
            .into(),
            ..Deliveries::default()
        };
        let case = format!("{returned} of {messages} returned, {others} others");
        assert_eq!(of.has_echo(), echo, "{case}");
    }
}

#[test]
fn whatever_came_shows_that_something_arrived() {
    let none = Deliveries {
        messages: 3,
        expected: 9,
        ..Deliveries::default()
    };
    assert!(!none.anything_arrived());
    let only = |set: fn(&mut Deliveries)| {
        let mut one = none.clone();
        set(&mut one);
        one.anything_arrived()
    };
    assert!(only(|one| one.delivered = 2));
    assert!(only(|one| one.late = 2));
    assert!(only(|one| one.duplicated = 2));
    assert!(only(|one| one.reordered = 2));
    assert!(only(|one| {
        one.misdelivered.insert(MisdeliveryReason::Garbled, 2);
    }));
}

/// Deliveries whose counts are `k` times different primes, with one latency of `k` ms in each histogram.
fn times(k: u64) -> Deliveries {
    let mut all = Deliveries {
        messages: 2 * k,
        unsent: 3 * k,
        expected: 500 * k,
        own_copies: OwnCopies {
            expected: 7 * k,
            lost: 11 * k,
            unexpected: 13 * k,
        },
        delivered: 17 * k,
        late: 19 * k,
        lost: [(LossReason::NeverSeen, 23 * k)].into(),
        cut_off: CutOff {
            iteration_failed: 29 * k,
            iteration_ended: 31 * k,
            level_ended: 37 * k,
        },
        duplicated: 41 * k,
        reordered: 43 * k,
        misdelivered: [(MisdeliveryReason::Garbled, 47 * k)].into(),
        misplaced: Misplaced {
            stamps: 53 * k,
            lost: 59 * k,
            first: None,
        },
        whole_audience: 61 * k,
        ..Deliveries::default()
    };
    let latency = Nanos::from_millis(k);
    for times in [
        &mut all.latency,
        &mut all.first,
        &mut all.median,
        &mut all.last,
    ] {
        times.record(latency);
    }
    all
}

#[test]
fn workers_measurements_add_up() {
    let mut all = times(2);
    all.lost.insert(LossReason::ReceiverLeft, 5);
    all.merge(&times(3));
    let ends = [Nanos::from_millis(2), Nanos::from_millis(3)];
    for times in [&all.latency, &all.first, &all.median, &all.last] {
        assert_eq!((times.count(), times.min()), (2, Some(ends[0])));
        assert_eq!(times.max(), Some(ends[1]));
    }
    let mut wanted = times(5);
    wanted.lost.insert(LossReason::ReceiverLeft, 5);
    let counts = |of: &Deliveries| Deliveries {
        latency: Histogram::default(),
        blocks: Blocks::default(),
        first: Histogram::default(),
        median: Histogram::default(),
        last: Histogram::default(),
        ..of.clone()
    };
    assert_eq!(counts(&all), counts(&wanted));
    assert_eq!((all.lost_count(), all.misdelivered_count()), (120, 235));
    assert_eq!((all.received(), all.cut_off.count()), (180, 485));
    assert_eq!(all.judged(), 2500 - 485);
}
