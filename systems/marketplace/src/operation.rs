//! The declarations of operations. Each operation declares its name, path, access, input and response in one place
//! ([`Route`], [`Write`], [`Read`]). `trade`, `account` and `push` declare their operations, and `http` serves them.

mod input;
mod route;

pub(crate) use input::{Empty, NoQuery, PageQuery};
pub(crate) use route::{Access, Route, Verb};

use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::AnyConnection;

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
