use record::{Cause, Deliveries, Level, Window};

use super::causes;
use super::levels::{SECONDS, level, target, with};

/// A level of 400 messages with these receivers, of which each takes this CPU time.
fn messages(receivers: u64, us: f64) -> Level {
    const SENT: u64 = 400;
    let percent = SENT as f64 * us / 1e6 / SECONDS * 100.0;
    let mut level = with(level(0.0, 1.0), target(2, &[("loop", percent, 0.0)]));
    let deliveries = Deliveries {
        messages: SENT,
        expected: SENT * receivers,
        ..Deliveries::default()
    };
    level.measured.deliveries.insert("said".into(), deliveries);
    level.series = (0..10)
        .map(|second| Window {
            start_s: f64::from(second),
            deliveries: SENT * receivers / 10,
            ..Window::default()
        })
        .collect();
    level
}

fn ids(levels: Vec<Level>) -> Vec<&'static str> {
    causes(levels).iter().map(Cause::id).collect()
}

#[test]
fn the_power_of_the_cost_of_a_message_tells_linear_from_quadratic() {
    // 400 messages of 22 ms in 10 s use 88 % of a thread.
    assert_eq!(
        ids(vec![messages(5, 1_400.0), messages(20, 22_000.0)]),
        ["quadratic_fan_out"]
    );
    assert_eq!(
        ids(vec![messages(5, 5_500.0), messages(20, 22_000.0)]),
        ["linear_fan_out"]
    );
}

#[test]
fn a_constant_cost_an_idle_target_or_equal_groups_are_no_finding() {
    assert_eq!(
        ids(vec![messages(5, 20_000.0), messages(20, 22_000.0)]),
        [] as [&str; 0]
    );
    assert_eq!(
        ids(vec![messages(5, 14.0), messages(20, 220.0)]),
        [] as [&str; 0]
    );
    assert_eq!(
        ids(vec![messages(20, 1_400.0), messages(20, 22_000.0)]),
        [] as [&str; 0]
    );
}
