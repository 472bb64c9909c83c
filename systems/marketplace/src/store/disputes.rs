use sqlx::AnyConnection;

use super::row::row;
use crate::types::words::words;
use crate::types::{Id, Time};

words! {
    /// How a dispute ended.
    Resolution {
        /// The seller gets the money.
        Release = "release",
        /// The buyer gets the money back.
        Refund = "refund",
        /// The money is divided between buyer and seller.
        Split = "split",
    }
}

row! {
    /// A dispute about a trade.
    #[derive(Clone, Debug)]
    pub(crate) struct DisputeRow {
        pub(crate) request_id: Id,
        pub(crate) opened_by: Id,
        pub(crate) reason: String,
        pub(crate) resolution: Option<Resolution>,
        /// The amount that the buyer got back, in minor units.
        pub(crate) refunded: Option<i64>,
        pub(crate) opened_at: Time,
        pub(crate) resolved_at: Option<Time>,
    }
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &DisputeRow) -> Result<(), sqlx::Error> {
    let insert =
        "INSERT INTO disputes (request_id, opened_by, reason, opened_at) VALUES ($1, $2, $3, $4)";
    sqlx::query(insert)
        .bind(&row.request_id)
        .bind(&row.opened_by)
        .bind(&row.reason)
        .bind(row.opened_at)
        .execute(db)
        .await?;
    Ok(())
}

/// Saves the resolution of the dispute.
pub(crate) async fn update(db: &mut AnyConnection, row: &DisputeRow) -> Result<(), sqlx::Error> {
    let update = "UPDATE disputes SET resolution = $2, refunded = $3, resolved_at = $4 WHERE request_id = $1";
    sqlx::query(update)
        .bind(&row.request_id)
        .bind(row.resolution)
        .bind(row.refunded)
        .bind(row.resolved_at)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn find(
    db: &mut AnyConnection,
    request: &Id,
) -> Result<Option<DisputeRow>, sqlx::Error> {
    let select = "SELECT * FROM disputes WHERE request_id = $1";
    sqlx::query_as(select)
        .bind(request)
        .fetch_optional(db)
        .await
}
