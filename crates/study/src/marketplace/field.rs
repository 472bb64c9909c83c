//! The published figures of the marketplace's field report.

/// The number of trades that completed, and the number that were started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed(pub(crate) u64, pub(crate) u64);

/// One level of the report's runs. `None` means that the level was not run, or was run with another setting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRow {
    pub(crate) trades: u64,
    /// Result of run 2, with 4 threads and version 2.9.3.
    pub(crate) threads4: Option<Passed>,
    /// Result of runs 3 and 4, with 16 threads and version 2.9.5.
    pub(crate) threads16: Option<Passed>,
}

const fn row(trades: u64, threads4: Option<u64>, threads16: Option<u64>) -> FieldRow {
    const fn passed(passed: Option<u64>, of: u64) -> Option<Passed> {
        match passed {
            Some(passed) => Some(Passed(passed, of)),
            None => None,
        }
    }
    FieldRow {
        trades,
        threads4: passed(threads4, trades),
        threads16: passed(threads16, trades),
    }
}

/// "Concurrency & Performance Test Results", 6 June 2026, with one level that this study adds (64).
pub(crate) const MARKETPLACE: [FieldRow; 9] = [
    row(1, Some(1), None),
    row(2, Some(2), None),
    row(4, Some(4), None),
    row(8, Some(8), None),
    row(16, Some(15), Some(16)),
    row(20, None, Some(20)),
    row(24, None, Some(16)),
    row(32, Some(10), Some(14)),
    row(64, None, None),
];

/// The timeout of the report's client, in seconds.
pub(crate) const TIMEOUT_S: u64 = 15;
/// The report's range of think times, in seconds.
pub(crate) const THINK_S: [f64; 2] = [15.0, 30.0];

/// The p50 and p95 of an operation in ms, once over all levels of run 2, and once over levels 16 and 20 of run 3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTimes {
    pub(crate) operation: &'static str,
    pub(crate) run2: (f64, f64),
    pub(crate) run3: Option<(f64, f64)>,
}

const fn times(operation: &'static str, run2: (f64, f64), run3: Option<(f64, f64)>) -> FieldTimes {
    FieldTimes {
        operation,
        run2,
        run3,
    }
}

/// The operations in the order of the flow.
pub(crate) const TIMES: [FieldTimes; 9] = [
    times(
        "users.admin.create",
        (4372.0, 15_004.0),
        Some((6383.0, 11_002.0)),
    ),
    times("auth.login", (5221.0, 15_000.0), Some((8227.0, 12_702.0))),
    times(
        "marketplace.purchaseRequests.create",
        (315.0, 507.0),
        Some((499.0, 1010.0)),
    ),
    times(
        "marketplace.offers.create",
        (246.0, 399.0),
        Some((604.0, 1111.0)),
    ),
    times(
        "marketplace.offers.select",
        (193.0, 455.0),
        Some((758.0, 1359.0)),
    ),
    times(
        "marketplace.purchaseRequests.status.payment",
        (231.0, 383.0),
        None,
    ),
    times(
        "marketplace.delivery.update",
        (92.0, 245.0),
        Some((236.0, 379.0)),
    ),
    times(
        "marketplace.delivery.confirm",
        (42.0, 96.0),
        Some((66.0, 218.0)),
    ),
    times("notifications.list", (23.0, 233.0), Some((92.0, 653.0))),
];
