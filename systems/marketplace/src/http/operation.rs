use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::AnyConnection;

use super::route::Route;
use crate::market::Market;
use crate::refusal::Refusal;
use crate::work::{Actor, Step};

/// An operation that changes data in one transaction.
pub(crate) trait Write: Step<Answer: JsonSchema> + Sized + 'static {
    const ROUTE: Route;
    /// The ids in the path.
    type Path: DeserializeOwned + Send;
    type Body: DeserializeOwned + JsonSchema + Send;

    /// Prepares the step before its transaction begins. Checks the input and hashes passwords.
    fn begin(
        path: Self::Path,
        body: Self::Body,
        market: &Market,
    ) -> impl Future<Output = Result<Self, Refusal>> + Send;
}

/// An operation that only reads.
pub(crate) trait Read: 'static {
    const ROUTE: Route;
    /// The ids in the path.
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
