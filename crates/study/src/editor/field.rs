//! The published figures of the editor's field report. Also the values that the report's definition of latency yields
//! without any server.

/// One of the report's four tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRow {
    pub(crate) test: usize,
    pub(crate) users: u64,
    pub(crate) rooms: u64,
    pub(crate) mean_ms: f64,
    pub(crate) p95_ms: f64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) sent_per_s: f64,
    pub(crate) verdict: &'static str,
}

/// "Load Testing Results - Collaborative Code Editor", 30 October 2025. The message counts come from the result files
/// that were published with the report.
pub(crate) const EDITOR: [FieldRow; 4] = [
    FieldRow {
        test: 1,
        users: 10,
        rooms: 1,
        mean_ms: 0.0,
        p95_ms: 0.0,
        sent: 755,
        received: 6835,
        sent_per_s: 23.57,
        verdict: "EXCELLENT",
    },
    FieldRow {
        test: 2,
        users: 30,
        rooms: 6,
        mean_ms: 167.5,
        p95_ms: 421.0,
        sent: 2336,
        received: 11_462,
        sent_per_s: 68.62,
        verdict: "GOOD",
    },
    FieldRow {
        test: 3,
        users: 50,
        rooms: 5,
        mean_ms: 766.65,
        p95_ms: 1830.0,
        sent: 4020,
        received: 41_739,
        sent_per_s: 111.46,
        verdict: "POOR",
    },
    FieldRow {
        test: 4,
        users: 50,
        rooms: 10,
        mean_ms: 789.66,
        p95_ms: 1741.0,
        sent: 4019,
        received: 20_765,
        sent_per_s: 111.42,
        verdict: "POOR",
    },
];

/// Measured time between the starts of two users in the report's ramp-up.
const STEP_MS: f64 = 101.4;
/// Time between two edits of a user: 2000 ms plus the delay of the user's timer.
const PERIOD_MS: f64 = 2001.0;

/// The values that the report's definition yields if the server responds immediately. Each value is the time since a
/// user's own last edit when another user joins the room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoServer {
    /// Average number of values, over all assignments of users to rooms.
    pub(crate) samples: f64,
    pub(crate) mean_ms: f64,
    pub(crate) p95_ms: f64,
}

impl NoServer {
    /// Returns `None` if nobody edits before the last user joins.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the rank of one of at most some thousand pairs"
    )]
    pub(crate) fn of(users: u64, rooms: u64) -> Option<Self> {
        let mut ago: Vec<f64> = (0..users)
            .flat_map(|early| (early + 1..users).map(move |late| (late - early) as f64 * STEP_MS))
            .filter(|since_join| *since_join >= PERIOD_MS)
            .map(|since_join| since_join % PERIOD_MS)
            .collect();
        if ago.is_empty() {
            return None;
        }
        ago.sort_by(f64::total_cmp);
        let rank = (0.95 * ago.len() as f64).ceil() as usize;
        Some(Self {
            // Two users are in the same room with a probability of 1 / rooms.
            samples: ago.len() as f64 / rooms as f64,
            mean_ms: ago.iter().sum::<f64>() / ago.len() as f64,
            p95_ms: ago[rank.saturating_sub(1)],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected figures come from an independent simulation with 200 random assignments to rooms. With nine values,
    /// the p95 of each assignment is its largest value, which differs from the p95 over all assignments.
    #[test]
    fn the_reports_cliff_comes_out_of_its_definition_without_a_server() {
        assert_eq!(NoServer::of(10, 1), None);
        for (users, rooms, samples, mean, p95) in [
            (30, 6, 9.0, 330.0, None),
            (50, 5, 92.0, 770.0, Some(1800.0)),
            (50, 10, 46.0, 774.0, Some(1785.0)),
        ] {
            let found = NoServer::of(users, rooms).unwrap();
            let near = |value: f64, wanted: f64, part: f64| (value / wanted - 1.0).abs() < part;
            assert!(near(found.samples, samples, 0.05), "{found:?}");
            assert!(near(found.mean_ms, mean, 0.04), "{found:?}");
            assert!(
                p95.is_none_or(|p95| near(found.p95_ms, p95, 0.05)),
                "{found:?}"
            );
        }
    }
}
