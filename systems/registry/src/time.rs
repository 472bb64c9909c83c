use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A point in time in milliseconds since 1970; RFC 3339 in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Timestamp", into = "Timestamp")]
pub(crate) struct Time(i64);

impl Time {
    /// The current time of the system clock.
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.map_or(0, |since| since.as_millis());
        Self(i64::try_from(millis).unwrap_or(i64::MAX))
    }

    pub(crate) const fn of_millis(millis: i64) -> Self {
        Self(millis)
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

    /// The time from now until this point; zero if it has passed.
    pub(crate) fn until(self, now: Self) -> Duration {
        let millis = u64::try_from(self.0.saturating_sub(now.0)).unwrap_or(0);
        Duration::from_millis(millis)
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

impl JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}
