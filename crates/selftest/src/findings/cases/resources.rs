//! Limits of CPU, memory and concurrency, stalls, timeouts and rate limits.

use super::{asks, scenario};
use crate::findings::case::{Case, Truth, case, with_quota};

/// The capacity of each server follows from its path: `/burn/5ms` serves 200 requests per second.
pub(super) const CASES: &[Case] = &[
    case(
        "one-thread",
        Truth::Fault("saturated_thread"),
        asks!(
            "/burn/5ms",
            r#"{ rate: ["40/s", "300/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "one-thread/healthy",
        Truth::Healthy,
        asks!(
            "/delay/5ms",
            r#"{ rate: ["40/s", "300/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "one-thread/75-percent",
        Truth::NearMiss,
        asks!(
            "/burn/5ms",
            r#"{ rate: ["40/s", "150/s"], users: 16, duration: "4s" }"#
        ),
    ),
    with_quota(
        case(
            "quota",
            Truth::Fault("cpu_quota"),
            asks!(
                "/burn/5ms",
                r#"{ rate: ["40/s", "150/s"], users: 16, duration: "4s" }"#
            ),
        ),
        0.5,
    ),
    with_quota(
        case(
            "quota/half-used",
            Truth::NearMiss,
            asks!(
                "/burn/5ms",
                r#"{ rate: ["20/s", "80/s"], users: 16, duration: "4s" }"#
            ),
        ),
        0.8,
    ),
    case(
        "threads",
        Truth::Threads(4),
        asks!(
            "/pool/5ms",
            r#"{ rate: ["40/s", "1200/s"], users: 32, duration: "4s" }"#
        ),
    ),
    case(
        "threads/healthy",
        Truth::Healthy,
        asks!(
            "/delay/5ms",
            r#"{ rate: ["40/s", "1200/s"], users: 32, duration: "4s" }"#
        ),
    ),
    case(
        "four-places",
        Truth::Fault("fixed_concurrency"),
        asks!(
            "/queue/4/10ms",
            r#"{ users: [1, 4, 8, 16], duration: "3s" }"#
        ),
    ),
    case(
        "one-place",
        Truth::Fault("fixed_concurrency"),
        scenario!(
            r#"load: { users: [1, 8, 16, 32], duration: "3s" }"#,
            r#"await user.get("/queue/1/10ms"); await group.think("50ms");"#
        ),
    ),
    case(
        "places/healthy",
        Truth::Healthy,
        asks!("/delay/10ms", r#"{ users: [1, 4, 8, 16], duration: "3s" }"#),
    ),
    case(
        "places/not-all-in-use",
        Truth::NearMiss,
        asks!("/queue/4/10ms", r#"{ users: [1, 2, 4], duration: "3s" }"#),
    ),
    case(
        "leak",
        Truth::Fault("growing_memory"),
        asks!(
            "/leak/20000",
            r#"{ rate: ["200/s", "500/s"], users: 16, duration: "8s" }"#
        ),
    ),
    case(
        "leak/healthy",
        Truth::Healthy,
        asks!(
            "/delay/1ms",
            r#"{ rate: ["200/s", "500/s"], users: 16, duration: "8s" }"#
        ),
    ),
    case(
        "leak/small",
        Truth::NearMiss,
        asks!(
            "/leak/200",
            r#"{ rate: ["200/s", "500/s"], users: 16, duration: "8s" }"#
        ),
    ),
    case(
        "stalls",
        Truth::Fault("periodic_stalls"),
        asks!(
            "/stall/5ms/400ms/3s/1s",
            r#"{ rate: "100/s", users: 128, duration: "22s" }"#
        ),
    ),
    case(
        "stalls/one",
        Truth::NearMiss,
        asks!(
            "/stall/5ms/400ms/60s/3s",
            r#"{ rate: "100/s", users: 128, duration: "22s" }"#
        ),
    ),
    case(
        "timeout",
        Truth::Fault("fixed_timeout"),
        asks!(
            "/gateway/10/20ms/500ms",
            r#"{ rate: "100/s", users: 128, duration: "5s" }"#
        ),
    ),
    case(
        "timeout/quick-errors",
        Truth::NearMiss,
        asks!(
            "/error/10",
            r#"{ rate: "100/s", users: 128, duration: "5s" }"#
        ),
    ),
    case(
        "limiter",
        Truth::Fault("rate_limiter"),
        asks!(
            "/limit/100/1s",
            r#"{ rate: "300/s", users: 128, duration: "6s" }"#
        ),
    ),
    case(
        "limiter/below",
        Truth::NearMiss,
        asks!(
            "/limit/100/1s",
            r#"{ rate: "80/s", users: 128, duration: "6s" }"#
        ),
    ),
];
