//! Percentiles with few samples and with enough, and those of deliveries.

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
        fast(58).undecided,
        Some(Undecided::TooFewSamples { have: 58, need: 59 })
    );
    assert_eq!(
        fast(12).undecided,
        Some(Undecided::TooFewSamples { have: 12, need: 59 })
    );
    let one_slow = judged(&requests(58, 1), "requests", "p95 < 100ms");
    let Some(Undecided::TooFewSamples { have: 59, need }) = one_slow.undecided else {
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
    assert!(within.observed < Some(5.1e6), "{within:?}");
    assert!(beyond.observed > Some(499e6), "{beyond:?}");
    assert_eq!(within.counted, None);
}

/// The figure that is shown and what is said of it, for every number of slow ones.
#[test]
fn verdict_and_percentile_never_disagree() {
    for all in [20_u64, 59, 100, 199, 200, 201, 400] {
        for slow in 0..=all {
            let level = requests(all - slow, slow);
            for condition in ["p95 < 100ms", "p95 > 100ms", "p50 <= 100ms", "p50 >= 100ms"] {
                let result = judged(&level, "requests", condition);
                if let Some(observed) = result.observed {
                    let holds = threshold("requests", condition).holds(observed);
                    assert_eq!(result.held, Some(holds), "{slow} of {all}: {condition}");
                }
            }
        }
    }
}

/// Messages to 50 receivers each; of `slow` of them every delivery takes 500 ms, of `mixed` only the last.
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
    // 3 × 40 deliveries would be enough, 40 messages are not.
    assert_eq!(
        judge(&fan_out(40, 0, 0)).undecided,
        Some(Undecided::TooFewSamples { have: 40, need: 59 })
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
    // Late for the last receiver only: that alone breaks nothing, and shows nothing.
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
