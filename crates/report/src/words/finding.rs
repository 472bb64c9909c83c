//! Findings in sentences without a full stop.

use record::{Cause, Finding};

use super::limiter;

/// The name of its cause.
pub(crate) fn name(finding: &Finding) -> &'static str {
    match finding.cause {
        Cause::RateLimiter(_) => "rate limiter",
        Cause::Text { .. } => "cause",
    }
}

/// The finding in one sentence.
pub(crate) fn sentence(finding: &Finding) -> String {
    match &finding.cause {
        Cause::RateLimiter(found) => limiter::sentence(found),
        Cause::Text { what } => what.clone(),
    }
}
