use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;

use super::view::UserView;
use crate::operation::{Access, NoQuery, PageQuery, Read, Route};
use crate::refusal::Refusal;
use crate::store::ledger::{self, Balance};
use crate::store::payments::{self, UnmatchedEvent};
use crate::store::users;
use crate::types::Listing;
use crate::work::Actor;

/// Lists all users.
#[derive(Debug)]
pub(crate) struct ListUsers;

impl Read for ListUsers {
    const ROUTE: Route = Route::get("users.admin.list", "/api/users/admin")
        .says("All users, newest first")
        .by(Access::Admin);
    type Path = ();
    type Query = PageQuery;
    type Answer = Listing<UserView>;

    async fn answer(
        (): (),
        query: PageQuery,
        _: &Actor,
        db: &mut AnyConnection,
    ) -> Result<Self::Answer, Refusal> {
        let size = query.limit.unwrap_or_default();
        let rows = users::page(db, query.after.as_ref(), size.rows() + 1).await?;
        let items = rows.into_iter().map(UserView::from).collect();
        Ok(Listing::of(items, size, |user: &UserView| user.id.clone()))
    }
}

/// The result of checking all stored data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LedgerReport {
    /// Whether all invariants about money, trades and notifications hold.
    balanced: bool,
    /// The violated invariants, each with one example.
    broken: Vec<String>,
    balances: Vec<Balance>,
    /// Provider events that contradict the known state, newest first, at most 100.
    unmatched: Vec<UnmatchedEvent>,
}

/// Checks all stored data against the invariants.
#[derive(Debug)]
pub(crate) struct ShowLedger;

impl Read for ShowLedger {
    const ROUTE: Route = Route::get("ledger.admin.check", "/api/admin/ledger")
        .says("Checks all stored data against the invariants of money, trades and notifications")
        .by(Access::Admin);
    type Path = ();
    type Query = NoQuery;
    type Answer = LedgerReport;

    async fn answer(
        (): (),
        _: NoQuery,
        _: &Actor,
        db: &mut AnyConnection,
    ) -> Result<LedgerReport, Refusal> {
        let broken = ledger::broken(db).await?;
        let balances = ledger::balances(db).await?;
        let unmatched = payments::unmatched(db, 100).await?;
        Ok(LedgerReport {
            balanced: broken.is_empty(),
            broken,
            balances,
            unmatched,
        })
    }
}
