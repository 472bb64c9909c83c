//! Distinguishes an even flow that a limiter causes from one that the target's workers cause.

use model::Nanos;

use super::seen::Seen;
use super::shape::{Shape, is_even};

/// Whether fewer than 0.5 passed requests were in progress on average (Little's law). A server that refuses requests
/// because all its slots are taken has one request in progress per slot. The quantile is an upper bound of the passed
/// requests' median time, because the histogram also contains refused requests.
pub(super) fn is_quick(seen: &Seen<'_>, per_s: f64) -> bool {
    const IN_WORK: f64 = 0.5;
    let mut times = stats::Histogram::default();
    for timings in seen.level.measured.requests.values() {
        times.merge(&timings.service);
    }
    let limited = seen.limited;
    let share = limited.passed as f64 / (limited.passed + limited.count) as f64;
    let time = times.quantile(1.0 - share / 2.0);
    time.is_some_and(|time| per_s * time.as_secs_f64() < IN_WORK)
}

/// Requests that took much less time than passes between two responses of the flow. Times are in seconds.
#[derive(Clone, Copy)]
pub(super) enum Outpaced {
    /// Most requests of a level in which none was refused.
    Always { took_s: f64, apart_s: f64 },
    /// Only one or two requests.
    Once { took_s: f64, apart_s: f64 },
}

/// Distinguishes a limiter that queues requests from workers that do. Both let requests pass one by one at even
/// intervals, and refuse what exceeds their queue. Workers take at least such an interval for each request, even if no
/// other waits. With a limiter, a request that does not wait is quick.
pub(super) fn outpaced(seen: &Seen<'_>) -> Option<Outpaced> {
    const MOST: f64 = 0.5;
    let Some(Shape::Steady {
        per_s,
        burst: 0.0,
        reopened_s: None,
        ..
    }) = seen.shape
    else {
        return None;
    };
    if is_quick(seen, per_s) || !is_even(seen.limited) {
        return None;
    }
    let apart_s = 1.0 / per_s;
    let most = seen.unhurried_s.filter(|took_s| per_s * took_s < MOST);
    most.map(|took_s| Outpaced::Always { took_s, apart_s })
        .or_else(|| quickest(seen, per_s).map(|took_s| Outpaced::Once { took_s, apart_s }))
}

/// The quickest passed request in seconds, if few were as quick. If many were, they may be the ones that a cache
/// answers.
fn quickest(seen: &Seen<'_>, per_s: f64) -> Option<f64> {
    const QUICK: f64 = 0.2;
    const FEW: u64 = 2;
    let times = &seen.passed_times;
    let limit = Nanos::from_secs_f64(QUICK / per_s);
    let quick = times.count() - times.count_above(limit);
    let all = [times.min(), seen.quickest_before];
    let took = all.into_iter().flatten().min();
    let took = took.filter(|took| *took <= limit && quick <= FEW && times.count() > 0);
    took.map(Nanos::as_secs_f64)
}

#[cfg(test)]
mod tests {
    use record::{Level, Limited, LimitedBin, Timings};
    use stats::Histogram;

    use super::*;

    fn ms(ms: u64) -> Nanos {
        Nanos::from_millis(ms)
    }

    /// 30 s in which requests are refused all the time. In each bin of 100 ms for which `passes` holds, one passes.
    fn flow(passes: impl Fn(u32) -> bool) -> Limited {
        let bin = |at| LimitedBin {
            at,
            limited: 10,
            passed: u64::from(passes(at)),
            turns: 0,
        };
        let bins: Vec<_> = (0..300).map(bin).collect();
        Limited {
            count: 3_000,
            passed: bins.iter().map(|bin| bin.passed).sum(),
            last_s: 30.0,
            end_s: 30.0,
            bin_s: 0.1,
            bins,
            ..Limited::default()
        }
    }

    fn even() -> Limited {
        flow(|at| at % 5 == 0)
    }

    /// Requests with these service times.
    fn served(times: &[(Nanos, u64)]) -> Level {
        let mut timings = Timings::default();
        for (time, count) in times {
            timings.service.record_n(*time, *count);
        }
        let mut level = Level::default();
        level.measured.requests = [("GET /".to_owned(), timings)].into();
        level
    }

    /// Two requests pass per second.
    fn seen<'a>(level: &'a Level, limited: &'a Limited) -> Seen<'a> {
        Seen {
            level,
            limited,
            fresh: true,
            shape: Some(Shape::Steady {
                per_s: 2.0,
                burst: 0.0,
                regular: true,
                reopened_s: None,
                seconds: 30,
            }),
            users: 1,
            addresses: 1,
            per_window: None,
            flow: None,
            passed_times: Histogram::default(),
            quickest_before: None,
            unhurried_s: None,
        }
    }

    #[test]
    fn requests_are_quick_if_fewer_than_half_a_request_was_in_progress_on_average() {
        // 90 refused requests were the quickest. Half of the 10 that passed took at most 50 ms.
        let refused = Limited {
            count: 90,
            passed: 10,
            ..Limited::default()
        };
        let level = served(&[(ms(1), 90), (ms(50), 6), (ms(200), 4)]);
        let of = |per_s| is_quick(&seen(&level, &refused), per_s);
        assert_eq!([4.0, 9.0, 11.0, 20.0].map(of), [true, true, false, false]);
        // Exactly half a request: 4/s × 125 ms.
        let level = served(&[(ms(1), 90), (ms(125), 10)]);
        assert!(!is_quick(&seen(&level, &refused), 4.0));
        assert!(is_quick(&seen(&level, &refused), 3.9));
        let unknown = Level::default();
        assert!(!is_quick(&seen(&unknown, &refused), 4.0));
    }

    #[test]
    fn the_median_of_a_level_without_refusals_outpaces_an_even_flow_below_half_its_interval() {
        let (level, limited) = (Level::default(), even());
        let of = |took_s| {
            let seen = Seen {
                unhurried_s: Some(took_s),
                ..seen(&level, &limited)
            };
            match outpaced(&seen)? {
                Outpaced::Always { took_s, apart_s } => Some((took_s, apart_s)),
                Outpaced::Once { .. } => panic!("no single request was measured"),
            }
        };
        assert_eq!(of(0.2), Some((0.2, 0.5)));
        assert_eq!(of(0.25), None);
        assert_eq!(of(0.3), None);
    }

    #[test]
    fn only_an_even_flow_of_requests_that_take_their_time_can_be_outpaced() {
        // 250 ms of work for two requests per second: half a request in progress.
        let (slow, quick) = (served(&[(ms(250), 60)]), served(&[(ms(1), 60)]));
        let uneven = flow(|at| at % 50 < 10);
        for (level, limited, is_outpaced) in [
            (&slow, &even(), true),
            (&quick, &even(), false),
            (&slow, &uneven, false),
            (&quick, &uneven, false),
        ] {
            let seen = Seen {
                unhurried_s: Some(0.001),
                ..seen(level, limited)
            };
            assert_eq!(outpaced(&seen).is_some(), is_outpaced);
        }
    }

    #[test]
    fn one_or_two_requests_outpace_a_flow_in_a_fifth_of_its_interval() {
        let (level, limited) = (Level::default(), even());
        // Two per second pass, so a quick request takes at most 100 ms.
        let of = |times: &[(Nanos, u64)], before| {
            let mut passed_times = Histogram::default();
            for (time, count) in times {
                passed_times.record_n(*time, *count);
            }
            let seen = Seen {
                passed_times,
                quickest_before: before,
                ..seen(&level, &limited)
            };
            match outpaced(&seen)? {
                Outpaced::Once { took_s, apart_s } => Some((took_s, apart_s)),
                Outpaced::Always { .. } => panic!("no level without refusals"),
            }
        };
        let rest = (ms(600), 18);
        assert_eq!(of(&[(ms(70), 1), rest], None), Some((0.07, 0.5)));
        assert_eq!(of(&[(ms(100), 2), rest], None), Some((0.1, 0.5)));
        assert_eq!(
            of(&[(ms(70), 3), rest], None),
            None,
            "as many as of a cache"
        );
        assert_eq!(of(&[(ms(150), 1), rest], None), None);
        assert_eq!(of(&[(ms(350), 1), rest], None), None);
        assert_eq!(of(&[rest], None), None);
        // The quickest one before the measured time counts, too, if the times of the others are known.
        assert_eq!(of(&[rest], Some(ms(80))), Some((0.08, 0.5)));
        assert_eq!(of(&[rest], Some(ms(150))), None);
        assert_eq!(of(&[], Some(ms(80))), None);
    }
}
