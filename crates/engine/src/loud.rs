//! Connections whose reads cost so much that they change other figures.

use model::Nanos;
use record::IssueCause;
use serde::{Deserialize, Serialize};

use crate::net::ReadCost;

/// Connections that cost too much are reported if they take more than this percentage of the measured time.
const WORTH_TELLING: f64 = 20.0;

/// The time within the measured time that was spent on connections that cost too much: their reads, and the turns of the
/// script that handled what they received.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Loud {
    spent: Nanos,
    /// Number of wakes that their reads caused and that the script has not handled.
    waiting: usize,
    /// The endpoint of the first connection that cost too much.
    first: Option<String>,
}

/// A turn of the script that handles wakes of connections that cost too much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoudTurn {
    since: Nanos,
    /// Number of wakes of such connections.
    loud: usize,
    /// Number of all wakes of the turn.
    wakes: usize,
}

impl Loud {
    /// Adds the cost of a read. `endpoint` names the endpoint of the connection.
    pub(crate) fn note(&mut self, cost: ReadCost, endpoint: impl FnOnce() -> Option<String>) {
        self.spent += cost.took;
        self.waiting += cost.wakes;
        self.first = self.first.take().or_else(endpoint);
    }

    /// Starts a turn of the script with `wakes` wakes. Returns `None` if the turn has no wakes of such connections, so
    /// that it need not be timed. `now` returns the time.
    pub(crate) fn begin_turn(
        &mut self,
        wakes: usize,
        now: impl FnOnce() -> Nanos,
    ) -> Option<LoudTurn> {
        let loud = self.waiting.min(wakes);
        self.waiting -= loud;
        (loud > 0).then(|| LoudTurn {
            since: now(),
            loud,
            wakes,
        })
    }

    /// Adds the time of a turn that has ended, in proportion to its wakes.
    pub(crate) fn note_turn(&mut self, turn: LoudTurn, now: Nanos) {
        let took = now - turn.since;
        self.spent += Nanos(took.0 * turn.loud as u64 / turn.wakes.max(1) as u64);
    }

    /// Keeps the larger loss: workers lose time in parallel, so losses do not add up.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.spent > self.spent {
            *self = other;
        }
    }

    /// An issue of the level, if connections that cost too much took enough time to change other figures.
    pub(crate) fn issue(&self, duration_s: f64) -> Option<IssueCause> {
        // A read or turn that began before the measured time counts as a whole.
        let spent_percent = (self.spent.as_secs_f64() / duration_s * 100.0).min(100.0);
        let first = self
            .first
            .as_ref()
            .filter(|_| spent_percent > WORTH_TELLING)?;
        Some(IssueCause::SmallMessages {
            spent_percent,
            connection: first.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 reads of 1 ms, each of which causes `wakes` wakes and is followed by a turn with 16 wakes, also those of quiet
    /// connections. Returns the share of a second that is reported.
    fn share(wakes: usize, each_turn: Nanos) -> Option<f64> {
        let mut loud = Loud::default();
        let mut now = Nanos::ZERO;
        for _ in 0..100 {
            let cost = ReadCost {
                took: Nanos::from_millis(1),
                wakes,
            };
            loud.note(cost, || Some("http://127.0.0.1:80".to_owned()));
            now += cost.took;
            if let Some(turn) = loud.begin_turn(16, || now) {
                now += each_turn;
                loud.note_turn(turn, now);
            }
        }
        match loud.issue(1.0)? {
            IssueCause::SmallMessages { spent_percent, .. } => Some(spent_percent),
            _ => None,
        }
    }

    #[test]
    fn the_share_is_time_that_passed_and_no_estimate_of_waiting_messages() {
        // 100,000 messages wait at the end, for which no time has passed.
        let all = share(1000, Nanos::from_millis(5)).unwrap();
        assert!((all - 60.0).abs() < 1e-9, "{all}");
        let half = share(8, Nanos::from_millis(6)).unwrap();
        assert!((half - 40.0).abs() < 1e-9, "{half}");
        assert_eq!(share(0, Nanos::from_millis(9)), None, "10 % for reads only");
    }

    #[test]
    fn the_share_never_exceeds_all_of_the_time() {
        let share = share(1000, Nanos::from_millis(10)).unwrap();
        assert!((share - 100.0).abs() < 1e-9, "{share}");
    }
}
