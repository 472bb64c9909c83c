//! Causes that show only after minutes under a constant load.

use super::{asks, scenario};
use crate::findings::case::{Case, Truth, case, long};

/// Each run takes about five minutes.
pub(super) const CASES: &[Case] = &[
    long(case(
        "soak/latency",
        Truth::Fault("growing_latency"),
        asks!(
            "/worsen/5ms/1us",
            r#"{ rate: "20/s", users: 16, duration: "302s" }"#
        ),
    )),
    long(case(
        "soak/connections",
        Truth::Fault("growing_sessions"),
        asks!("/linger", r#"{ rate: "2/s", users: 16, duration: "302s" }"#),
    )),
    long(case(
        "soak/healthy",
        Truth::Healthy,
        asks!(
            "/delay/5ms",
            r#"{ rate: "20/s", users: 16, duration: "302s" }"#
        ),
    )),
    long(case(
        "soak/slightly-slower",
        Truth::NearMiss,
        asks!(
            "/worsen/5ms/20ns",
            r#"{ rate: "20/s", users: 16, duration: "302s" }"#
        ),
    )),
];
