//! The published figures of the registry's field report, and what follows from them by arithmetic.

/// The statistics that the report prints for one operation. Percentiles are labels of histogram buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRow {
    pub(super) operation: &'static str,
    pub(super) count: u64,
    pub(super) mean_ms: f64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

/// "Load Test Results - 100 req/sec Mixed Workload" (MEMO-019), 11 October 2025.
pub(super) const REGISTRY: [FieldRow; 3] = [
    FieldRow {
        operation: "register",
        count: 3053,
        mean_ms: 1.411,
        p50_ms: 1.0,
        p95_ms: 5.0,
        p99_ms: 50.0,
        max_ms: 96.195,
    },
    FieldRow {
        operation: "enumerate",
        count: 1829,
        mean_ms: 0.393,
        p50_ms: 0.5,
        p95_ms: 0.5,
        p99_ms: 5.0,
        max_ms: 70.654,
    },
    FieldRow {
        operation: "multicast",
        count: 1217,
        mean_ms: 2429.122,
        p50_ms: 50.0,
        p95_ms: 100.0,
        p99_ms: 100.0,
        max_ms: 56_026.523,
    },
];

/// The targets of all multicasts, and the report's division of them into delivered and failed.
pub(super) const TARGETS: u64 = 1_780_045;
pub(super) const DELIVERED: u64 = 1_633_877;
pub(super) const FAILED: u64 = 146_168;
/// Length of the test, in seconds.
pub(super) const SECONDS: f64 = 60.0;
/// Operations launched in each interval of five seconds. The last one is not in the raw output.
pub(super) const LAUNCHED: [u64; 12] = [600, 500, 499, 501, 500, 500, 500, 500, 500, 500, 500, 500];

impl FieldRow {
    /// Returns the largest mean that the row's p99 and maximum permit: the times above the p99 are the maximum, and all
    /// others are the p99.
    pub(super) fn mean_at_most_ms(&self) -> f64 {
        let below = (self.count as f64 * 0.99).floor();
        let above = self.count as f64 - below;
        (below * self.p99_ms + above * self.max_ms) / self.count as f64
    }

    /// Returns the smallest true p99 that the row's mean, p50 and maximum permit. Half of the times are at most the p50,
    /// and those above the p99 at most the maximum. The times in between make up the rest of the sum.
    pub(super) fn p99_at_least_ms(&self) -> f64 {
        let count = self.count as f64;
        let (half, rank) = ((count * 0.5).floor(), (count * 0.99).ceil());
        let sum = self.mean_ms * count;
        let rest = sum - half * self.p50_ms - (count - rank) * self.max_ms;
        rest / (rank - half)
    }
}

/// The load on the report's registry, whose number of identities grew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// Multicasts and registrations per second.
    pub(super) multicasts_per_s: f64,
    pub(super) registrations_per_s: f64,
}

impl Growth {
    pub(super) fn published() -> Self {
        let [register, _, multicast] = REGISTRY;
        Self {
            multicasts_per_s: multicast.count as f64 / SECONDS,
            registrations_per_s: register.count as f64 / SECONDS,
        }
    }

    /// Returns the targets per second after `seconds`, if no registration ends.
    pub(super) fn targets_per_s(self, seconds: f64) -> f64 {
        self.multicasts_per_s * self.registrations_per_s * seconds
    }

    /// Returns the targets of all multicasts up to then.
    pub(super) fn targets(self, seconds: f64) -> f64 {
        self.targets_per_s(seconds) * seconds / 2.0
    }

    /// Returns the second from which a system with this capacity (targets per second) has a queue, and the length of that
    /// queue at the end of the test.
    pub(super) fn backlog(self, capacity_per_s: f64) -> (f64, f64) {
        let from = capacity_per_s / self.targets_per_s(1.0);
        let queued = (self.targets_per_s(SECONDS) - capacity_per_s) * (SECONDS - from) / 2.0;
        (from, queued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.001, "{value} {expected}");
    }

    #[test]
    fn the_published_mean_lies_outside_of_what_its_p99_permits() {
        let [.., multicast] = REGISTRY;
        // 1204 × 100 ms and 13 × 56,026.523 ms, divided by 1217.
        near(multicast.mean_at_most_ms(), 697.4);
        assert!(multicast.mean_ms > multicast.mean_at_most_ms());
        // (2,956,241 − 608 × 50 − 12 × 56,026.523) / 597.
        near(multicast.p99_at_least_ms(), 3774.7);
    }

    #[test]
    fn a_growing_registry_overloads_a_constant_capacity_before_the_end() {
        let growth = Growth::published();
        near(growth.targets_per_s(60.0), 61_925.0);
        near(growth.targets(60.0), 1_857_750.0);
        // 1,000 targets in 24 ms, measured by the report's own repository.
        let (from, queued) = growth.backlog(41_667.0);
        near(from, 40.37);
        near(queued, 198_830.0);
    }
}
