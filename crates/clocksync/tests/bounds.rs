//! The true offset is always within the bounds, whatever the shift, the delays and the drift.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

mod common;

use clocksync::{ClockOffset, Drift, PeerClock, Window};
use common::{Network, Path, Probes, START};
use model::Nanos;
use proptest::prelude::*;

/// As before and after a run: 100 probes, 2 ms apart.
const BURST: Probes = Probes {
    count: 100,
    interval: 2_000_000,
};

/// As during a run: 2 probes per second for 30 s.
const STEADY: Probes = Probes {
    count: 60,
    interval: 500_000_000,
};

prop_compose! {
    fn paths()(
        shift in -90_000_000_000_i64..10_800_000_000_000,
        drift_ppb in -50_000_i64..=50_000,
        delay in (1e5_f64.ln()..20e6_f64.ln()).prop_map(f64::exp),
        share_there in 0.2..=0.8,
        jitter in 0.0..=0.5,
        in_order: bool,
    ) -> Path {
        Path { shift, drift_ppb, round_trip: 2.0 * delay, share_there, jitter: jitter * delay, in_order }
    }
}

fn is_within(path: &Path, clock: &PeerClock, local: Nanos) -> bool {
    clock.offset_at(local).contains(path.true_offset(local))
}

fn measure(window: &Window) -> PeerClock {
    window.peer_clock(window.drift()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_burst_encloses_the_offset_before_and_after(path in paths(), seed: u64, age in 0_u64..300) {
        let window = Network::new(path, seed).window(START, BURST);
        let clock = measure(&window);
        prop_assert!(is_within(&path, &clock, clock.reference));
        prop_assert!(is_within(&path, &clock, clock.reference + Nanos::from_secs(age)));
        prop_assert!(is_within(&path, &clock, START));
    }

    #[test]
    fn a_window_encloses_the_offset_before_and_after(path in paths(), seed: u64, age in 0_u64..300) {
        let window = Network::new(path, seed).window(START, STEADY);
        let clock = measure(&window);
        prop_assert!(is_within(&path, &clock, clock.reference));
        prop_assert!(is_within(&path, &clock, clock.reference + Nanos::from_secs(age)));
        prop_assert!(is_within(&path, &clock, START));
    }

    #[test]
    fn a_clock_that_jumps_by_more_than_the_round_trip_is_noticed(path in paths(), seed: u64) {
        let path = Path { jitter: 0.0, ..path };
        let later = START + Nanos::from_secs(1);
        let mut window = Network::new(path, seed).window(START, BURST);
        // The round trip is at most 40 ms.
        let jumped = Path { shift: path.shift + 41_000_000, ..path };
        window.add(Network::new(jumped, seed).exchange(later));
        prop_assert!(window.interval_at(later, Drift::UNKNOWN).is_err());
    }
}

#[test]
fn drift_that_is_not_removed_is_noticed_as_a_contradiction() {
    // 50 s of 50 ppm are 2.5 ms, and the round trip takes 1 ms.
    let path = Path {
        drift_ppb: 50_000,
        ..Path::symmetric(500.0, 0.5)
    };
    let probes = Probes {
        count: 100,
        interval: 500_000_000,
    };
    let window = Network::new(path, 1).window(START, probes);
    let without = Drift {
        rate: 0.0,
        uncertainty: 0.0,
    };
    assert!(window.peer_clock(without).is_err());
    let with = measure(&window);
    let error = with.interval.offset() - path.true_offset(with.reference);
    assert!(error.abs() < Nanos::from_micros(200), "{error}");
}

#[test]
fn the_estimate_is_off_by_half_the_asymmetry_and_within_the_bound() {
    // 2 ms of 20 ms are 30/70: the messages take 6 ms there and 14 ms back.
    let path = Path {
        share_there: 0.3,
        ..Path::symmetric(10_000.0, 0.0)
    };
    let clock = measure(&Network::new(path, 1).window(START, BURST));
    let error = clock.interval.offset() - path.true_offset(clock.reference);
    let expected = ClockOffset(-4_000_000);
    assert!((error - expected).abs() < Nanos::from_micros(1), "{error}");
    assert!(clock.interval.bound() < Nanos::from_micros(10_005));
}
