use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::{Id, PageSize};

/// An empty object, `{}`, as a request body or a response. The request body may also be missing.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Empty {}

/// No query parameters. The server ignores any that are sent.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(crate) struct NoQuery {}

/// The query parameters of a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct PageQuery {
    pub(crate) limit: Option<PageSize>,
    /// The value of `next` from the previous page.
    pub(crate) after: Option<Id>,
}
