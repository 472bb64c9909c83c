use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::AnyConnection;

use super::route::Route;
use crate::market::Market;
use crate::refusal::Refusal;
use crate::work::{Actor, Step};

/// Something that changes what is kept, in one step.
pub(crate) trait Write: Step<Answer: JsonSchema> + Sized + 'static {
    const ROUTE: Route;
    /// What the path names.
    type Path: DeserializeOwned + Send;
    type Body: DeserializeOwned + JsonSchema + Send;

    /// What is to be done before a transaction begins: checking what was handed in, hashing.
    fn begin(
        path: Self::Path,
        body: Self::Body,
        market: &Market,
    ) -> impl Future<Output = Result<Self, Refusal>> + Send;
}

/// Something that only looks.
pub(crate) trait Read: 'static {
    const ROUTE: Route;
    /// What the path names.
    type Path: DeserializeOwned + Send;
    type Query: DeserializeOwned + JsonSchema + Send;
    type Answer: Serialize + JsonSchema;

    fn answer(
        path: Self::Path,
        query: Self::Query,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> impl Future<Output = Result<Self::Answer, Refusal>> + Send;
}
