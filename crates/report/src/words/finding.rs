//! Formats findings as sentences without a full stop.

use record::{Cause, Finding};

use super::limiter;

/// Returns the name of the finding's cause.
pub(crate) fn name(finding: &Finding) -> &'static str {
    match finding.cause {
        Cause::RateLimiter(_) => "rate limiter",
        Cause::Text { .. } => "cause",
    }
}

/// Formats the finding as one sentence.
pub fn sentence(finding: &Finding) -> String {
    match &finding.cause {
        Cause::RateLimiter(found) => limiter::sentence(found),
        Cause::Text { what } => what.clone(),
    }
}
