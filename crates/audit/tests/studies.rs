//! The five field reports: what their own figures refute. The numbers are those of the mistakes that were found in them
//! by hand; `docs/reference/audit.md` lists the others, and why figures alone cannot show them.

use std::fs;
use std::path::Path;

use audit::Severity::{Doubtful, Impossible, Unsupported};
use audit::{Audit, Severity, audit, read, terminal};

fn study(name: &str) -> Audit {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("studies")
        .join(name);
    let text = fs::read_to_string(path).unwrap();
    let all = read(&[(name.to_owned(), text)]).unwrap_or_else(|why| panic!("{why}"));
    audit(&all[0])
}

/// Mistake, severity, rule, and a piece of the subject and of the arithmetic or words.
type Expected = (
    &'static str,
    Severity,
    &'static str,
    &'static str,
    &'static str,
);

fn finds(name: &str, expected: &[Expected]) {
    let audit = study(name);
    for (mistake, severity, rule, subject, words) in expected {
        let found = audit.findings.iter().any(|finding| {
            finding.rule == *rule
                && finding.severity == *severity
                && finding.subject.contains(subject)
                && (finding.arithmetic.contains(words) || finding.what.contains(words))
                && !finding.at.is_empty()
        });
        assert!(
            found,
            "{mistake} ({rule}) is not found:\n{}",
            terminal(&audit, false)
        );
    }
}

#[test]
fn the_bridge() {
    finds(
        "bridge.toml",
        &[
            (
                "X1",
                Impossible,
                "scaling",
                "Throughput scales linearly",
                "50.39 % of linear",
            ),
            (
                "X2",
                Impossible,
                "scaling",
                "Latency scales sub-linearly",
                "p50 × 2.032 for users × 2",
            ),
            (
                "X3",
                Impossible,
                "within-capacity",
                "well within capacity",
                "saturated from 10 users on",
            ),
            (
                "X3",
                Unsupported,
                "within-capacity",
                "well within capacity",
                "rate +0.8 %",
            ),
            ("X4", Unsupported, "too-short", "10 users", "15 ms"),
            (
                "X4",
                Doubtful,
                "too-few-samples",
                "20 users",
                "p99 of 400 samples",
            ),
            (
                "X4",
                Doubtful,
                "inside-the-noise",
                "+42%",
                "two runs of the same",
            ),
            (
                "X5",
                Doubtful,
                "false-precision",
                "10 users",
                "12,903 to 13,793",
            ),
            (
                "X6",
                Unsupported,
                "cause-not-measured",
                "event loop scheduling",
                "not measured",
            ),
            (
                "X7",
                Unsupported,
                "no-control",
                "session isolation",
                "no run without it",
            ),
            ("X8", Unsupported, "left-over", "20 users", "10 left over"),
            (
                "X9",
                Doubtful,
                "success-beside-failures",
                "Zero errors",
                "3/400 = 0.75 %",
            ),
        ],
    );
}

#[test]
fn the_editor() {
    finds(
        "editor.toml",
        &[
            (
                "X2",
                Unsupported,
                "zero-for-missing",
                "test 1",
                "mean = 0, p95 = 0",
            ),
            (
                "X2",
                Unsupported,
                "verdict-without-data",
                "EXCELLENT",
                "no time that was measured",
            ),
            (
                "X3",
                Doubtful,
                "equal-percentiles",
                "test 2",
                "p95 = p99 = 421 ms",
            ),
            (
                "X1, what follows from it",
                Unsupported,
                "cliff",
                "Latency Cliff",
                "one level with data before the jump",
            ),
            (
                "X4",
                Unsupported,
                "does-not-depend",
                "10 users in a single room",
                "received × 0.4975, mean × 1.03",
            ),
            (
                "X5",
                Unsupported,
                "better",
                "slightly better",
                "mean 766.6 → 789.7, p99 1,937 → 1,943",
            ),
            (
                "X6",
                Unsupported,
                "cause-not-measured",
                "Memory is the primary",
                "whole machine",
            ),
            (
                "X6",
                Unsupported,
                "cause-not-measured",
                "Memory leak",
                "no figure",
            ),
            (
                "X7",
                Unsupported,
                "cause-not-measured",
                "CPU: ~19%",
                "whole machine",
            ),
            ("X9", Impossible, "fan-out", "test 3", "10.38; stated: 9"),
            ("X9", Impossible, "fan-out", "test 2", "4.907; stated: 4"),
            (
                "X11",
                Unsupported,
                "not-measured",
                "30-40 users",
                "40 users were not run",
            ),
            (
                "X11",
                Unsupported,
                "not-measured",
                "1-25 users",
                "25 users were not run",
            ),
            (
                "X12",
                Unsupported,
                "not-measured",
                "1000+ users",
                "1,000 / 50 = 20 ×",
            ),
            (
                "X14",
                Unsupported,
                "rate-and-duration",
                "test 3",
                "36.07 s; stated: 30 s",
            ),
            (
                "X15",
                Doubtful,
                "inside-the-noise",
                "4.7x",
                "two runs of the same",
            ),
            (
                "X16",
                Unsupported,
                "expected-gain",
                "PM2",
                "was not measured",
            ),
        ],
    );
}

#[test]
fn the_registry() {
    finds(
        "registry.toml",
        &[
            (
                "X1",
                Impossible,
                "mean-out-of-reach",
                "multicast",
                "a mean of at most 673.5 ms",
            ),
            (
                "X1",
                Unsupported,
                "target-met",
                "P95 latency of 100ms",
                "the last edge of the histogram",
            ),
            (
                "X2",
                Unsupported,
                "percentiles-on-edges",
                "register",
                "p99 is between 10 ms and 50 ms",
            ),
            (
                "X3",
                Impossible,
                "success-beside-failures",
                "Overall Success Rate",
                "146,168 of 1,780,045 failed, 8.211 %",
            ),
            (
                "X4",
                Doubtful,
                "cut-by-the-end",
                "multicast",
                "93.38 % of 60 s",
            ),
            ("X6", Doubtful, "told-twice", "~500ms", "in the table: 50"),
            (
                "X6",
                Unsupported,
                "scaling",
                "linearly with registered",
                "one level shows no growth",
            ),
            (
                "X7",
                Unsupported,
                "limit-not-found",
                "29k msg/sec",
                "one level shows no limit",
            ),
            (
                "X8",
                Unsupported,
                "other-conditions",
                "Enumerate 1000",
                "stated 1000",
            ),
            (
                "X9",
                Unsupported,
                "other-conditions",
                "Multicast to 100",
                "stated 100, measured 1463",
            ),
            (
                "X10",
                Doubtful,
                "told-twice",
                "101.81",
                "101.8; in the table: 101.7",
            ),
            (
                "X10",
                Impossible,
                "counts-do-not-add-up",
                "mixed",
                "6,100, whole: 6,099",
            ),
            (
                "X11",
                Unsupported,
                "counts-launches",
                "mixed",
                "differ by 0.2 % or less",
            ),
            (
                "X13",
                Unsupported,
                "cause-not-measured",
                "Redis",
                "no figure",
            ),
            (
                "X14",
                Unsupported,
                "cause-not-measured",
                "Single NATS connection",
                "no figure",
            ),
            (
                "X14",
                Unsupported,
                "expected-gain",
                "10-50x",
                "was not measured",
            ),
            (
                "X17",
                Unsupported,
                "other-conditions",
                "1,934x",
                "stated mean, measured edge of a bucket",
            ),
        ],
    );
}

#[test]
fn the_marketplace() {
    finds(
        "marketplace.toml",
        &[
            (
                "X1",
                Unsupported,
                "pooled-levels",
                "run 2",
                "C1, C2, C4, C8, C16, C32",
            ),
            (
                "X1",
                Unsupported,
                "more-than-one-change",
                "5221ms",
                "loads mixed",
            ),
            (
                "X2",
                Unsupported,
                "at-the-timeout",
                "auth.login",
                "the time-out of 15 s",
            ),
            ("X3", Doubtful, "survivors", "run 2", "23 of 63"),
            (
                "X3",
                Doubtful,
                "equal-percentiles",
                "purchaseRequests.create",
                "p99 = max = 579 ms",
            ),
            (
                "X4",
                Unsupported,
                "inside-the-noise",
                "UV_THREADPOOL",
                "15 of 16 against 16 of 16",
            ),
            (
                "X4",
                Unsupported,
                "more-than-one-change",
                "UV_THREADPOOL",
                "version: 2.9.3 → 2.9.5",
            ),
            (
                "X5",
                Unsupported,
                "better",
                "no longer timeout",
                "most times beside it became worse",
            ),
            (
                "X6",
                Doubtful,
                "at-the-timeout",
                "run 3, both levels, users.admin.create",
                "96.11 %",
            ),
            (
                "X6",
                Doubtful,
                "not-measured",
                "Stable ceiling",
                "begins at 83.89 %",
            ),
            (
                "X7",
                Unsupported,
                "cause-not-measured",
                "bcrypt CPU saturation",
                "no figure",
            ),
            (
                "X9",
                Unsupported,
                "cause-not-measured",
                "unique constraint",
                "no figure",
            ),
            (
                "X10",
                Unsupported,
                "cause-not-measured",
                "degraded",
                "no figure",
            ),
            (
                "X11",
                Unsupported,
                "users-converted",
                "500-1,500",
                "= 55 to 94",
            ),
            ("X11", Unsupported, "not-measured", "DAU", "250 ×"),
        ],
    );
}

#[test]
fn the_transcription() {
    finds(
        "transcription.toml",
        &[
            (
                "X1",
                Unsupported,
                "slower-than-real-time",
                "100 users, audio_chunk",
                "0.3922 × real time",
            ),
            ("X2", Unsupported, "concurrency", "300 tested", "172"),
            ("X2", Unsupported, "concurrency", "200+", "148"),
            ("X3", Unsupported, "generator-limited", "300 users", "90 %"),
            (
                "X5",
                Doubtful,
                "too-few-samples",
                "100 users, transcribe",
                "p99: 2.8 beyond",
            ),
            (
                "X5",
                Doubtful,
                "too-few-samples",
                "300 users, health",
                "p99 of 27 samples",
            ),
            (
                "X6",
                Impossible,
                "change",
                "4-6x",
                "audio_chunk p99 × 6.978",
            ),
            (
                "X7",
                Unsupported,
                "hardly-changes",
                "minimal",
                "audio_chunk p99 +28.41 %",
            ),
            (
                "X8",
                Unsupported,
                "limit-not-found",
                "2,700",
                "90.2 % of proportional",
            ),
            (
                "X9",
                Unsupported,
                "no-control",
                "Session management",
                "no run without it",
            ),
            ("X9", Unsupported, "cause-not-measured", "VAD", "no figure"),
            (
                "X11",
                Doubtful,
                "more-than-one-change",
                "minimal",
                "100 users: 60 s, 200 users: 45 s",
            ),
            (
                "X14",
                Doubtful,
                "told-twice",
                "67-87ms",
                "told: 87; in the table: 86",
            ),
            (
                "X14",
                Doubtful,
                "rows-and-whole",
                "100 users",
                "1,511; stated: 1,520",
            ),
        ],
    );
}
