//! A message with f receivers is received at most f times: received ≤ sent × f. Without losses, received = sent × f.

use crate::finding::Severity;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "fan-out",
    says: "the number of messages received is not the number sent × the stated receivers of each",
    needs: Needs::Figures("messages sent and received"),
    instead: "the audience of each message when it is sent, and the fate of each delivery",
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
                "the number of receivers of a message (`fan_out`)",
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
                "more messages were received than the stated number of receivers allows",
            )
        } else if most < (expected - stated.slack.min(0.5)) * (1.0 - tolerance) {
            (
                Severity::Unsupported,
                "fewer messages were received than stated: some were lost, or not sent to all receivers",
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
                precise(received.value),
                precise(sent.value),
                precise(ratio),
                precise(expected)
            ),
        );
    }
}

/// Returns the longest delivery time as a share of the run. A message in flight at the start or end of the counting may
/// be counted only as sent or only as received.
fn on_the_way(level: &Level) -> f64 {
    let max = level.total.times.max.as_ref();
    let both = max.zip(level.duration_s.as_ref());
    both.map_or(0.0, |(max, duration)| {
        max.high() / (1000.0 * duration.low()).max(1e-9)
    })
}
