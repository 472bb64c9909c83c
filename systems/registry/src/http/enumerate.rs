use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::Operation;
use crate::enumerate::{Consistency, Position, SortBy, Wanted};
use crate::filter::Filter;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Metadata, Registration};
use crate::registry::Registry;
use crate::tenant::Tenant;
use crate::time::Time;

/// Default and maximum number of identities on one page.
const PAGE: u32 = 1000;
const LARGEST_PAGE: u32 = 10_000;

/// Lists the identities that meet a filter.
#[derive(Debug)]
pub(super) struct Enumerate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EnumerateBody {
    /// Conditions on metadata. Default: all identities.
    #[schemars(with = "Option<Metadata>")]
    filter: Option<Value>,
    /// Maximum number of identities on the page. A page whose metadata take more than 4 MiB has fewer.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u32>,
    /// The value of `next_cursor` from the previous page.
    cursor: Option<String>,
    #[serde(default)]
    sort_by: SortBy,
    /// Whether each identity has its metadata and times. Default: true.
    include_metadata: Option<bool>,
    #[serde(default)]
    consistency: Consistency,
}

/// A page of identities.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Enumerated {
    identities: Vec<Listed>,
    /// Number of identities that meet the filter, on all pages.
    total: usize,
    /// Pass this as `cursor` to get the next page. `null` on the last page.
    next_cursor: Option<String>,
}

/// One identity.
#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    identity: Name,
    #[serde(flatten)]
    facts: Option<Facts>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Facts {
    #[serde(serialize_with = "crate::shared_value::serialize")]
    #[schemars(with = "Metadata")]
    metadata: Arc<Metadata>,
    registered_at: Time,
    expires_at: Option<Time>,
}

impl Listed {
    fn of(found: &Registration, with_facts: bool) -> Self {
        Self {
            identity: found.identity.clone(),
            facts: with_facts.then(|| Facts {
                metadata: found.metadata.clone(),
                registered_at: found.registered_at,
                expires_at: found.expires_at,
            }),
        }
    }
}

impl Operation for Enumerate {
    const ID: &'static str = "enumerate";
    const SUMMARY: &'static str = "Lists the identities that meet a filter";
    const REFUSALS: &'static [&'static str] = &[];
    type Body = EnumerateBody;
    type Answer = Enumerated;

    async fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: EnumerateBody,
    ) -> Result<Enumerated, Refusal> {
        let limit = body.limit.unwrap_or(PAGE);
        if !(1..=LARGEST_PAGE).contains(&limit) {
            let why = format!("must be from 1 to {LARGEST_PAGE}");
            return Err(Refusal::InvalidField("limit", why));
        }
        let wanted = Wanted {
            filter: filter(body.filter.as_ref())?,
            limit: limit as usize,
            after: body.cursor.as_deref().map(cursor).transpose()?,
            sort_by: body.sort_by,
            consistency: body.consistency,
            with_metadata: body.include_metadata.unwrap_or(true),
        };
        let found = registry.enumerate(tenant, &wanted).await?;
        let with_facts = wanted.with_metadata;
        let page = found.page.iter();
        Ok(Enumerated {
            identities: page.map(|found| Listed::of(found, with_facts)).collect(),
            total: found.total,
            next_cursor: found.next.as_ref().map(Position::cursor),
        })
    }
}

/// Reads a filter. No filter matches everything.
pub(super) fn filter(value: Option<&Value>) -> Result<Filter, Refusal> {
    match value {
        Some(value) => Ok(Filter::read(value)?),
        None => Ok(Filter::default()),
    }
}

fn cursor(text: &str) -> Result<Position, Refusal> {
    let why = || "use the value of `next_cursor`".to_owned();
    Position::read(text).ok_or_else(|| Refusal::InvalidField("cursor", why()))
}
