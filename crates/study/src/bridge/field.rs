//! The published figures of the bridge's field report.

/// One row of the report's table. `None` means that the report does not state the figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRow {
    pub(crate) users: u64,
    pub(crate) messages: u64,
    pub(crate) per_s: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p95_ms: Option<f64>,
    pub(crate) p99_ms: f64,
    pub(crate) wall_s: Option<f64>,
}

/// "Stress Test Results: 10 and 20 Concurrent Users", 13 April 2026. The first row is the report's baseline, for which
/// the text states only these figures. The number of messages in the baseline follows from 20 per user.
pub(crate) const BRIDGE: [FieldRow; 3] = [
    FieldRow {
        users: 5,
        messages: 100,
        per_s: 9570.0,
        p50_ms: 0.40,
        p95_ms: None,
        p99_ms: 1.4,
        wall_s: None,
    },
    FieldRow {
        users: 10,
        messages: 200,
        per_s: 13_605.2,
        p50_ms: 0.63,
        p95_ms: Some(1.31),
        p99_ms: 1.80,
        wall_s: Some(0.015),
    },
    FieldRow {
        users: 20,
        messages: 400,
        per_s: 13_711.8,
        p50_ms: 1.28,
        p95_ms: Some(2.11),
        p99_ms: 2.71,
        wall_s: Some(0.029),
    },
];
