use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use schemars::json_schema;
use serde::{Deserialize, Serialize};

use super::schema::described;

/// A point in time, in milliseconds since 1970. The database stores it as a number; JSON contains it as RFC 3339 text.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type,
)]
#[sqlx(transparent)]
#[serde(try_from = "Timestamp", into = "Timestamp")]
pub(crate) struct Time(i64);

impl Time {
    /// The current time of the system clock.
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.map_or(0, |since| since.as_millis());
        Self(i64::try_from(millis).unwrap_or(i64::MAX))
    }

    pub(crate) fn millis(self) -> i64 {
        self.0
    }

    pub(crate) fn after(self, span: Duration) -> Self {
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(span))
    }

    pub(crate) fn before(self, span: Duration) -> Self {
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(span))
    }
}

impl From<i64> for Time {
    fn from(millis: i64) -> Self {
        Self(millis)
    }
}

impl From<Timestamp> for Time {
    fn from(time: Timestamp) -> Self {
        Self(time.as_millisecond())
    }
}

impl From<Time> for Timestamp {
    fn from(time: Time) -> Self {
        Self::from_millisecond(time.0).unwrap_or(Self::MAX)
    }
}

described!(
    Time,
    json_schema!({ "type": "string", "format": "date-time" })
);
