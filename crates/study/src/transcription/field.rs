//! The published figures of the transcription service's field report.

/// One test of the report. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTest {
    pub(crate) users: u64,
    /// Chunks per second, and the mean and 99th percentile of their round trips.
    pub(crate) chunks_per_s: f64,
    pub(crate) chunk_mean_ms: f64,
    pub(crate) chunk_p99_ms: f64,
    /// 99th percentile of posted recordings, and their number.
    pub(crate) rest_p99_ms: f64,
    pub(crate) recordings: u64,
}

/// "Baseline Performance Results", 31 January 2026.
pub(crate) const TESTS: [FieldTest; 3] = [
    FieldTest {
        users: 100,
        chunks_per_s: 1495.0,
        chunk_mean_ms: 51.0,
        chunk_p99_ms: 67.0,
        rest_p99_ms: 120.0,
        recordings: 280,
    },
    FieldTest {
        users: 200,
        chunks_per_s: 2697.0,
        chunk_mean_ms: 54.0,
        chunk_p99_ms: 86.0,
        rest_p99_ms: 140.0,
        recordings: 416,
    },
    FieldTest {
        users: 300,
        chunks_per_s: 902.0,
        chunk_mean_ms: 190.0,
        chunk_p99_ms: 600.0,
        rest_p99_ms: 770.0,
        recordings: 3233,
    },
];

/// A target of the report, and what it found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTarget {
    pub(crate) name: &'static str,
    pub(crate) found: &'static str,
}

/// The report's summary.
pub(crate) const TARGETS: [FieldTarget; 5] = [
    FieldTarget {
        name: "1,000 connections or more",
        found: "300 tested: Partial",
    },
    FieldTarget {
        name: "WebSocket p99 < 100 ms",
        found: "67-87 ms with 100-200 users: PASS",
    },
    FieldTarget {
        name: "REST p99 < 200 ms",
        found: "120-140 ms with 100-200 users: PASS",
    },
    FieldTarget {
        name: "memory per session < 1 MB",
        found: "not measured",
    },
    FieldTarget {
        name: "start-up < 3 s",
        found: "< 1 s: PASS",
    },
];

/// Chunks per second of a live stream.
pub(crate) const PACE: f64 = 50.0;

impl FieldTest {
    /// The number of streams at a time, by Little's law.
    pub(crate) fn streams(&self) -> f64 {
        self.chunks_per_s * self.chunk_mean_ms / 1e3
    }

    /// The speed of a stream, compared with live speech.
    pub(crate) fn real_time_factor(&self) -> f64 {
        self.chunks_per_s / self.streams() / PACE
    }
}
