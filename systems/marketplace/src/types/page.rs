use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};

use super::Id;
use super::schema::described;

const USUAL: i64 = 20;
const LARGEST: i64 = 100;

/// The number of items per page, from 1 to 100. Default: 20.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct PageSize(i64);

described!(
    PageSize,
    json_schema!({ "type": "integer", "minimum": 1, "maximum": LARGEST })
);

/// The number is not a valid page size.
#[derive(Debug, thiserror::Error)]
#[error("`limit` must be 1 to {LARGEST}, not {0}")]
pub(crate) struct PageSizeError(i64);

impl PageSize {
    pub(crate) fn rows(self) -> i64 {
        self.0
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self(USUAL)
    }
}

impl TryFrom<i64> for PageSize {
    type Error = PageSizeError;

    fn try_from(rows: i64) -> Result<Self, PageSizeError> {
        if (1..=LARGEST).contains(&rows) {
            return Ok(Self(rows));
        }
        Err(PageSizeError(rows))
    }
}

/// A page of a list, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listing<T> {
    pub(crate) items: Vec<T>,
    /// Pass this as `after` to get the next page. `null` on the last page.
    pub(crate) next: Option<Id>,
}

impl<T> Listing<T> {
    /// Builds a page of at most `size` items. Callers pass up to `size` + 1 items; the additional item shows that there
    /// is a next page.
    pub(crate) fn of(mut items: Vec<T>, size: PageSize, id: impl Fn(&T) -> Id) -> Self {
        let rows = usize::try_from(size.rows()).unwrap_or(usize::MAX);
        let more = items.len() > rows;
        items.truncate(rows);
        let next = items.last().filter(|_| more).map(id);
        Self { items, next }
    }
}
