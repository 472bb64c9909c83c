use std::cmp::Ordering;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::backend::Backend;
use crate::filter::Filter;
use crate::metrics::Timed;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::Registration;
use crate::registry::Registry;
use crate::size;
use crate::tenant::{Rated, Tenant};
use crate::time::Time;

/// Maximum size of the metadata on a page, in bytes of JSON.
const LARGEST_PAGE: usize = 4 << 20;

/// The order of identities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortBy {
    #[default]
    Identity,
    RegisteredAt,
    /// Registrations without an end come last.
    ExpiresAt,
}

/// Where the filter is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Consistency {
    /// In this instance, which knows the changes of other instances a moment later.
    #[default]
    Local,
    /// Inside Redis, which knows all changes. With the embedded backend, both are the same.
    Shared,
}

/// A page of identities that meet a filter.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) filter: Filter,
    pub(crate) limit: usize,
    pub(crate) after: Option<Position>,
    pub(crate) sort_by: SortBy,
    pub(crate) consistency: Consistency,
    /// Whether the page shows the metadata, which then limit its size.
    pub(crate) with_metadata: bool,
}

/// A position in the sorted list: the value that is sorted by, and the identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position(i64, Name);

impl Position {
    fn of(registration: &Registration, sort_by: SortBy) -> Self {
        let key = match sort_by {
            SortBy::Identity => 0,
            SortBy::RegisteredAt => registration.registered_at.millis(),
            SortBy::ExpiresAt => registration.expires_at.map_or(i64::MAX, Time::millis),
        };
        Self(key, registration.identity.clone())
    }

    /// Reads a cursor. `None` if this registry did not create it.
    pub(crate) fn read(cursor: &str) -> Option<Self> {
        let (key, identity) = cursor.split_once('.')?;
        Some(Self(key.parse().ok()?, Name::new(identity).ok()?))
    }

    /// The cursor of the page that begins after this position. An identity has no dot.
    pub(crate) fn cursor(&self) -> String {
        format!("{}.{}", self.0, self.1)
    }
}

/// A page.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) page: Vec<Arc<Registration>>,
    /// Number of identities that meet the filter, on all pages.
    pub(crate) total: usize,
    /// The last position of this page. `None` if it is the last page.
    pub(crate) next: Option<Position>,
}

impl Registry {
    /// The identities that meet a filter.
    pub(crate) async fn enumerate(
        &self,
        tenant: &Tenant,
        wanted: &Wanted,
    ) -> Result<Found, Refusal> {
        let begin = Instant::now();
        tenant.spend(Rated::Enumerate, begin)?;
        let mut matching = if let Backend::Shared(shared) = &*self.backend
            && wanted.consistency == Consistency::Shared
        {
            let mut found = shared.enumerate(&tenant.name, &wanted.filter).await?;
            found.sort_by(|one, other| one.identity.cmp(&other.identity));
            found
        } else {
            tenant.view.search(&wanted.filter, Time::now()).await
        };
        let total = matching.len();
        let found = page(&mut matching, total, wanted);
        self.counters
            .time(Timed::Enumerate, begin.elapsed().as_secs_f64());
        Ok(found)
    }
}

/// The number of registrations whose metadata fit on a page, at least one.
fn fitting(page: &[Arc<Registration>]) -> usize {
    let mut left = LARGEST_PAGE;
    let fits = page.iter().take_while(|found| {
        let size = size::json(&*found.metadata);
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    fits.count().max(1).min(page.len())
}

fn page(matching: &mut Vec<Arc<Registration>>, total: usize, wanted: &Wanted) -> Found {
    let position = |found: &Arc<Registration>| Position::of(found, wanted.sort_by);
    // The view is sorted by identity already.
    if wanted.sort_by != SortBy::Identity {
        matching.sort_by_cached_key(position);
    }
    let begin = wanted.after.as_ref().map_or(0, |after| {
        matching.partition_point(|found| position(found).cmp(after) != Ordering::Greater)
    });
    let end = begin.saturating_add(wanted.limit).min(total);
    let end = match matching.get(begin..end) {
        Some(page) if wanted.with_metadata => begin + fitting(page),
        _ => end,
    };
    let next = (end < total)
        .then(|| matching.get(end.checked_sub(1)?).map(position))
        .flatten();
    matching.truncate(end);
    matching.drain(..begin);
    Found {
        page: std::mem::take(matching),
        total,
        next,
    }
}
