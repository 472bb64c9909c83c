//! The state of a running level, for the live line.

use model::Nanos;

use crate::in_flight::Awaited;
use crate::level::LevelPlan;
use crate::merge::Merged;
use crate::notice::{InFlight, LatestSecond, Live};

/// The state of one of `levels` levels at `now`. `busiest` is the share of the latest second in which the busiest worker
/// was busy, and `awaited` are the operations for which the workers still wait.
pub(crate) fn live(
    (plan, levels): (&LevelPlan, u32),
    merged: &Merged,
    busiest: f64,
    awaited: Awaited,
    now: Nanos,
) -> Live {
    let elapsed = now - plan.start;
    let window = merged.windows.latest().unwrap_or_default();
    let per_s = if window.deliveries > 0 {
        window.deliveries
    } else {
        window.requests + window.round_trips
    };
    Live {
        level: plan.index + 1,
        levels,
        users: plan.load.users,
        rate: plan.load.open.as_ref().map(|open| open.rate.clone()),
        phase: plan.phases.at(elapsed),
        elapsed_s: elapsed.as_secs_f64(),
        total_s: plan.phases.hold_ends.as_secs_f64(),
        latest: LatestSecond {
            per_s: per_s as f64,
            p95_ms: window.p95_ms,
            busy_percent: busiest * 100.0,
        },
        lost: None,
        failed: merged.windows.failed(),
        in_flight: (awaited.count > 0).then(|| InFlight {
            count: awaited.count,
            up_to_s: (awaited.until - now).as_secs_f64(),
        }),
        agents: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use model::LevelPhase;
    use record::OpenWindow;

    use super::*;
    use crate::level::tests::plan_of;

    const NOW: Nanos = Nanos::from_secs(106);

    /// The second of three levels, which began at 100 s: 2 s of warm-up, then 10 s of measured time.
    fn plan() -> LevelPlan {
        let plan = plan_of(&serde_json::json!({ "users": 7, "warmup": "2s", "duration": "10s" }));
        LevelPlan {
            index: 1,
            start: Nanos::from_secs(100),
            ..plan
        }
    }

    fn live_after(windows: &[OpenWindow], awaited: Awaited) -> Live {
        let mut merged = Merged::default();
        for (second, window) in (0..).zip(windows) {
            merged.windows.add(0, second, window);
        }
        merged.windows.complete(1, 7);
        live((&plan(), 3), &merged, 0.25, awaited, NOW)
    }

    fn window(requests: u64, round_trips: u64, deliveries: u64) -> OpenWindow {
        OpenWindow {
            requests,
            round_trips,
            deliveries,
            failed: 3,
            ..OpenWindow::default()
        }
    }

    #[test]
    fn the_live_line_has_the_place_and_the_latest_second_of_a_level() {
        let live = live_after(&[window(40, 0, 0), window(50, 7, 0)], Awaited::default());
        let expected = Live {
            level: 2,
            levels: 3,
            users: 7,
            rate: None,
            phase: LevelPhase::Measurement,
            elapsed_s: 6.0,
            total_s: 12.0,
            latest: LatestSecond {
                per_s: 57.0,
                p95_ms: None,
                busy_percent: 25.0,
            },
            lost: None,
            failed: 6,
            in_flight: None,
            agents: Vec::new(),
        };
        assert_eq!(live, expected);
    }

    #[test]
    fn deliveries_are_counted_instead_of_requests_if_there_are_any() {
        let per_s = |windows: &[_]| Some(live_after(windows, Awaited::default()).latest.per_s);
        assert_eq!(per_s(&[window(40, 3, 1)]), Some(1.0));
        assert_eq!(per_s(&[window(40, 3, 0)]), Some(43.0));
        assert_eq!(per_s(&[]), Some(0.0));
    }

    #[test]
    fn operations_in_flight_are_shown_with_their_latest_time_limit() {
        let awaited = Awaited {
            count: 9,
            until: NOW + Nanos::from_secs(20),
        };
        let shown = InFlight {
            count: 9,
            up_to_s: 20.0,
        };
        assert_eq!(live_after(&[], awaited).in_flight, Some(shown));
    }
}
