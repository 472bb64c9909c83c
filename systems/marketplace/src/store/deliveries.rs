use sqlx::AnyConnection;

use super::row::row;
use crate::state::DeliveryState;
use crate::types::{Id, Time};

row! {
    /// The delivery of a trade.
    #[derive(Clone, Debug)]
    pub(crate) struct DeliveryRow {
        pub(crate) request_id: Id,
        pub(crate) state: DeliveryState,
        pub(crate) tracking: String,
        pub(crate) updated_at: Time,
    }
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &DeliveryRow) -> Result<(), sqlx::Error> {
    let insert =
        "INSERT INTO deliveries (request_id, state, tracking, updated_at) VALUES ($1, $2, $3, $4)";
    sqlx::query(insert)
        .bind(&row.request_id)
        .bind(row.state)
        .bind(&row.tracking)
        .bind(row.updated_at)
        .execute(db)
        .await?;
    Ok(())
}

/// Saves the fields that steps can change.
pub(crate) async fn update(db: &mut AnyConnection, row: &DeliveryRow) -> Result<(), sqlx::Error> {
    let update =
        "UPDATE deliveries SET state = $2, tracking = $3, updated_at = $4 WHERE request_id = $1";
    sqlx::query(update)
        .bind(&row.request_id)
        .bind(row.state)
        .bind(&row.tracking)
        .bind(row.updated_at)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn find(
    db: &mut AnyConnection,
    request: &Id,
) -> Result<Option<DeliveryRow>, sqlx::Error> {
    let select = "SELECT * FROM deliveries WHERE request_id = $1";
    sqlx::query_as(select)
        .bind(request)
        .fetch_optional(db)
        .await
}
