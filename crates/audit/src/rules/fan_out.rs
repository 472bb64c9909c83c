//! A message that goes to f receivers is received f times: received ≤ sent × f, and = where nothing is lost.

use crate::number::short;
use crate::{Desk, Level, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "fan-out",
    says: "what was received is not what was sent times the stated number of receivers",
    needs: "messages sent and received",
    instead: "who was there when each message was sent, and what became of it at each of them",
    check,
};

const TOLERANCE: f64 = 0.02;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let counts = &level.total.counts;
        let (Some(sent), Some(received)) = (&counts.sent, &counts.received) else {
            continue;
        };
        let Some(stated) = &level.fan_out else {
            desk.lacks(
                level.name.clone(),
                "how many receivers a message has (`fan_out`)",
            );
            continue;
        };
        desk.checked();
        let ratio = received.value / sent.value.max(1.0);
        let expected = stated.value;
        let (least, most) = (
            received.low() / sent.high().max(1.0),
            received.high() / sent.low().max(1.0),
        );
        let tolerance = TOLERANCE + on_the_way(level);
        let (severity, what) = if least > (expected + stated.slack.min(0.5)) * (1.0 + tolerance) {
            (
                Severity::Impossible,
                "more was received than can be: each message did not go to so many",
            )
        } else if most < (expected - stated.slack.min(0.5)) * (1.0 - tolerance) {
            (
                Severity::Unsupported,
                "less was received than was sent to so many: lost, or not sent to all",
            )
        } else {
            continue;
        };
        desk.find(
            severity,
            (
                level.name.clone(),
                &[received.at.as_str(), sent.at.as_str(), stated.at.as_str()],
            ),
            what,
            format!(
                "{} received / {} sent = {}; stated: {}",
                short(received.value),
                short(sent.value),
                short(ratio),
                short(expected)
            ),
        );
    }
}

/// What was sent before the counting, and received in it or the other way round: the share of the run that the longest
/// took.
fn on_the_way(level: &Level) -> f64 {
    let max = level.total.times.max.as_ref();
    let both = max.zip(level.duration_s.as_ref());
    both.map_or(0.0, |(max, duration)| {
        max.high() / (1000.0 * duration.low()).max(1e-9)
    })
}
