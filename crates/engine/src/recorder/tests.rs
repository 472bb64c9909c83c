use super::*;

/// Everything from the first nanosecond on is measured.
fn recorder() -> Recorder {
    let hold = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    Recorder {
        hold,
        ..Recorder::default()
    }
}

#[test]
fn names_without_end_are_counted_together() {
    let mut recorder = recorder();
    let timing = Timing {
        planned: Nanos(1),
        started: Nanos(1),
        ended: Nanos(5),
    };
    for user in 0..1000 {
        let index = recorder.name(Family::Request, &format!("GET /users/{user}"));
        recorder.time(
            Family::Request,
            index,
            timing,
            Ending::Answered { failed: false },
        );
    }
    let measured = recorder.into_measured(&[]);
    assert_eq!(measured.requests.len(), NAMES_LIMIT + 1);
    assert_eq!(measured.requests[OTHER_NAMES].count, 500);
}

#[test]
fn a_time_out_is_counted_and_is_no_latency() {
    let mut recorder = recorder();
    let index = recorder.name(Family::Request, "GET /");
    let timing = Timing {
        planned: Nanos(1),
        started: Nanos(1),
        ended: Nanos(5),
    };
    recorder.time(
        Family::Request,
        index,
        timing,
        Ending::RanOut(Nanos::from_secs(3)),
    );
    let broken = recorder.name(Family::Request, "GET /broken");
    recorder.time(Family::Request, broken, timing, Ending::Broke);
    let window = recorder.take_window();
    assert_eq!(
        (window.requests, window.failed, window.timed_out),
        (2, 2, 1)
    );
    assert_eq!(window.response.count(), 0, "neither has a time");
    assert_eq!(window.close(0.0).max_ms, None);
    let timings = &recorder.into_measured(&[]).requests["GET /"];
    assert_eq!(
        (
            timings.count,
            timings.failed,
            timings.timed_out,
            timings.response.count()
        ),
        (1, 1, 1, 0)
    );
}

#[test]
fn quickest_requests_before_the_measured_time_are_those_of_limited_names() {
    let mut recorder = Recorder::default();
    let names = ["POST /login", "GET /"].map(|name| recorder.name(Family::Request, name));
    let before = |ms: u64| Timing {
        planned: Nanos::ZERO,
        started: Nanos::ZERO,
        ended: Nanos::from_millis(ms),
    };
    for (name, ms) in [
        (names[0], 1),
        (names[1], 50),
        (names[1], 40),
        (names[1], 60),
    ] {
        let ending = Ending::Answered { failed: false };
        assert!(
            recorder
                .time(Family::Request, name, before(ms), ending)
                .is_none()
        );
    }
    let quickest = |recorder: &Recorder| recorder.clone().into_measured(&[]).before.quickest;
    assert_eq!(quickest(&recorder), None, "nothing was refused");
    let limited = recorder.limited.get_or_insert_default();
    limited.note_name("GET /");
    assert_eq!(quickest(&recorder), Some(Nanos::from_millis(40)));
}
