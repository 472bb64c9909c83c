//! Tests percentiles with too few samples and with enough, and percentiles of deliveries.

use super::*;

#[test]
fn fifty_nine_values_within_the_limit_show_a_p95() {
    let fast = |count| judged(&requests(count, 0), "requests", "p95 < 100ms");
    let shown = fast(59);
    assert_eq!(
        (shown.held, shown.observed),
        (Some(true), None),
        "the percentile itself has too few"
    );
    let counted = Counted {
        beyond: 0,
        of: 59,
        what: CountedKind::Values,
    };
    assert_eq!(shown.counted, Some(counted));
    assert_eq!(
        fast(58).inconclusive,
        Some(Inconclusive::TooFewSamples { have: 58, need: 59 })
    );
    assert_eq!(
        fast(12).inconclusive,
        Some(Inconclusive::TooFewSamples { have: 12, need: 59 })
    );
    let one_slow = judged(&requests(58, 1), "requests", "p95 < 100ms");
    let Some(Inconclusive::TooFewSamples { have: 59, need }) = one_slow.inconclusive else {
        panic!("{one_slow:?}")
    };
    assert!((93..=200).contains(&need), "{need}");
    assert_eq!(
        held(&requests(2, 3), "requests", "p95 < 100ms"),
        Some(false),
        "3 of 5 is no chance"
    );
    assert_eq!(
        held(&requests(0, 5), "requests", "p50 > 100ms"),
        Some(true),
        "lower limits alike"
    );
    assert_eq!(
        held(&requests(5, 0), "requests", "p50 > 100ms"),
        Some(false)
    );
}

#[test]
fn with_samples_enough_the_percentile_itself_decides() {
    let p95 = |slow| judged(&requests(1_000 - slow, slow), "requests", "p95 < 100ms");
    let (within, beyond) = (p95(50), p95(51));
    assert_eq!((within.held, beyond.held), (Some(true), Some(false)));
    let figure =
        |result: &ThresholdResult| result.observed.as_ref().and_then(record::Observed::figure);
    assert!(figure(&within) < Some(5.1e6), "{within:?}");
    assert!(figure(&beyond) > Some(499e6), "{beyond:?}");
    assert_eq!(within.counted, None);
}

/// The figure and the outcome agree for every number of slow values.
#[test]
fn verdict_and_percentile_never_disagree() {
    for all in [20_u64, 59, 100, 199, 200, 201, 400] {
        for slow in 0..=all {
            let level = requests(all - slow, slow);
            for condition in ["p95 < 100ms", "p95 > 100ms", "p50 <= 100ms", "p50 >= 100ms"] {
                let result = judged(&level, "requests", condition);
                if let Some(observed) = result.observed.as_ref().and_then(record::Observed::figure)
                {
                    let holds = threshold("requests", condition).holds(observed);
                    assert_eq!(result.held, Some(holds), "{slow} of {all}: {condition}");
                }
            }
        }
    }
}

/// Messages to three recipients each. All deliveries of the first `slow` messages take 500 ms. Of each of the next
/// `mixed` messages, only the last delivery takes 500 ms.
fn fan_out(messages: u64, slow: u64, mixed: u64) -> Level {
    let (fast_ms, slow_ms) = (Nanos::from_millis(5), Nanos::from_millis(500));
    let mut all = Deliveries {
        messages,
        expected: messages * 3,
        delivered: messages * 3,
        ..Deliveries::default()
    };
    for message in 0..messages {
        let first = if message < slow { slow_ms } else { fast_ms };
        let last = if message < slow + mixed {
            slow_ms
        } else {
            fast_ms
        };
        all.first.record(first);
        all.median.record(first);
        all.last.record(last);
        all.latency.record_n(first, 2);
        all.latency.record(last);
    }
    level(Measured {
        deliveries: named("said", all),
        ..Measured::default()
    })
}

#[test]
fn deliveries_of_one_message_count_once() {
    let judge = |level: &Level| judged(level, "delivery(said)", "p95 < 100ms");
    // 120 independent values would be enough, but 40 messages are not.
    assert_eq!(
        judge(&fan_out(40, 0, 0)).inconclusive,
        Some(Inconclusive::TooFewSamples { have: 40, need: 59 })
    );
    let shown = judge(&fan_out(59, 0, 0));
    assert_eq!(shown.held, Some(true));
    let counted = Counted {
        beyond: 0,
        of: 59,
        what: CountedKind::Messages,
    };
    assert_eq!(shown.counted, Some(counted));
    assert_eq!(
        judge(&fan_out(5, 4, 0)).held,
        Some(false),
        "four messages that reached nobody in time"
    );
    // 20 messages are late for their last recipient only. This neither breaks the threshold nor proves that it held.
    assert_eq!(judge(&fan_out(59, 0, 20)).held, None);
}

#[test]
fn a_message_that_not_all_received_has_no_last_receiver_in_time() {
    let mut level = fan_out(59, 0, 0);
    let channel = level.measured.deliveries.get_mut("said").unwrap();
    channel.last = stats::Histogram::default();
    channel.last.record_n(Nanos::from_millis(5), 58);
    assert_eq!(held(&level, "delivery(said)", "p95 < 100ms"), None);
}

/// With 59, 93 and 124 samples, 0, 1 and 2 of them may lie beyond a p95. These numbers are well known (Wilks).
#[test]
fn more_samples_show_a_p95_though_some_lie_beyond_it() {
    for (beyond, of) in [(0, 59), (1, 93), (2, 124)] {
        let shown = |all| held(&requests(all - beyond, beyond), "requests", "p95 < 100ms");
        assert_eq!(shown(of), Some(true), "{beyond} of {of}");
        assert_eq!(shown(of - 1), None, "{beyond} of {}", of - 1);
        let lower = |all| held(&requests(beyond, all - beyond), "requests", "p5 > 100ms");
        assert_eq!(lower(of), Some(true), "{beyond} of {of}");
        assert_eq!(lower(of - 1), None, "{beyond} of {}", of - 1);
    }
}

#[test]
fn a_percentile_that_is_to_equal_its_limit_is_compared_itself() {
    let level = requests(20, 0);
    assert_eq!(held(&level, "requests", "p50 == 5ms"), Some(true));
    assert_eq!(held(&level, "requests", "p50 == 6ms"), Some(false));
    assert_eq!(held(&level, "requests", "p50 != 6ms"), Some(true));
    assert_eq!(
        why(&level, "requests", "p95 == 5ms"),
        Inconclusive::TooFewSamples {
            have: 20,
            need: 200
        }
    );
}

#[test]
fn what_is_in_flight_may_lie_on_either_side() {
    let with_open = |fast, open, age| {
        let mut timings = timings(fast, 0);
        (0..open).for_each(|_| timings.left_open(Nanos::from_millis(age)));
        level(Measured {
            requests: named("GET /", timings),
            ..Measured::default()
        })
    };
    let in_flight = |open| Inconclusive::InFlight { open };
    let p95 = "p95 < 100ms";
    assert_eq!(why(&with_open(57, 2, 40), "requests", p95), in_flight(2));
    assert_eq!(why(&with_open(240, 60, 40), "requests", p95), in_flight(60));
    assert_eq!(
        judged(&with_open(240, 60, 40), "requests", p95).observed,
        Some(record::Observed::MoreThan {
            value: 40e6,
            unit: model::Unit::Nanos
        })
    );
    assert_eq!(
        held(&with_open(240, 60, 140), "requests", p95),
        Some(false),
        "they have taken longer than that already"
    );
    assert_eq!(held(&with_open(240, 10, 40), "requests", p95), Some(true));
}

#[test]
fn a_few_dropped_starts_count_as_beyond_the_limit_among_few_samples_too() {
    let shown = |fast| {
        let mut level = requests(fast, 0);
        level.load.rate_per_s = Some(20.0);
        level.measured.iterations = Iterations {
            planned: 200,
            started: 198,
            dropped: 2,
            ..Iterations::default()
        };
        judged(&level, "requests", "p95 < 100ms")
    };
    assert_eq!(shown(92).held, Some(true), "1 of 93 at most");
    let less = shown(91).inconclusive;
    assert!(
        matches!(less, Some(Inconclusive::LessLoad { .. })),
        "{less:?}"
    );
    let less = shown(60).inconclusive;
    assert!(
        matches!(less, Some(Inconclusive::LessLoad { .. })),
        "{less:?}"
    );
}

#[test]
fn deliveries_that_state_their_percentile_are_judged_by_it() {
    let p95 = |slow| held(&fan_out(100, slow, 0), "delivery(said)", "p95 < 100ms");
    assert_eq!(p95(5), Some(true), "15 of 300");
    assert_eq!(p95(6), Some(false), "18 of 300");
}

#[test]
fn a_lower_limit_on_deliveries_is_broken_by_the_first_receipt_of_a_message() {
    let p5 = |slow, mixed| held(&fan_out(59, slow, mixed), "delivery(said)", "p5 > 100ms");
    assert_eq!(p5(59, 0), Some(true));
    assert_eq!(p5(57, 2), None, "2 of 59 messages reached somebody sooner");
}

#[test]
fn messages_that_nearly_show_it_need_as_many_as_state_the_percentile() {
    let level = fan_out(59, 0, 3);
    // The p95 needs 200 deliveries, with three per message.
    let need = Inconclusive::TooFewSamples { have: 59, need: 67 };
    assert_eq!(why(&level, "delivery(said)", "p95 < 100ms"), need);
}

#[test]
fn one_message_to_many_decides_nothing_against_many_to_one() {
    let mut level = fan_out(93, 0, 0);
    let channel = level.measured.deliveries.get_mut("said").unwrap();
    let (fast, slow) = (Nanos::from_millis(5), Nanos::from_millis(500));
    for times in [&mut channel.first, &mut channel.last] {
        *times = stats::Histogram::default();
        times.record_n(fast, 92);
        times.record(slow);
    }
    channel.latency = stats::Histogram::default();
    channel.latency.record_n(fast, 92);
    channel.latency.record_n(slow, 60);
    let found = why(&level, "delivery(said)", "p95 < 100ms");
    assert!(
        matches!(found, Inconclusive::TooFewSamples { have: 93, .. }),
        "1 of 93 messages, but 60 of 152 deliveries: {found:?}"
    );
}
