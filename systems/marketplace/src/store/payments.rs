use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;

use super::row::row;
use crate::state::PaymentState;
use crate::types::{Amount, Currency, Id, Time};

row! {
    /// A payment for a request.
    #[derive(Clone, Debug)]
    pub(crate) struct PaymentRow {
        pub(crate) id: Id,
        pub(crate) request_id: Id,
        pub(crate) buyer_id: Id,
        pub(crate) seller_id: Id,
        pub(crate) amount: Amount,
        pub(crate) currency: Currency,
        pub(crate) state: PaymentState,
        /// Sequence number of the provider's last event.
        pub(crate) told: i64,
        /// The marketplace's fee when the buyer paid, in hundredths of a percent.
        pub(crate) fee: i64,
        pub(crate) created_at: Time,
        pub(crate) updated_at: Time,
    }
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &PaymentRow) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO payments (id, request_id, buyer_id, seller_id, amount, currency, state, \
        fee, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)";
    sqlx::query(insert)
        .bind(&row.id)
        .bind(&row.request_id)
        .bind(&row.buyer_id)
        .bind(&row.seller_id)
        .bind(row.amount)
        .bind(&row.currency)
        .bind(row.state)
        .bind(row.fee)
        .bind(row.created_at)
        .execute(db)
        .await?;
    Ok(())
}

/// Saves the fields that steps can change.
pub(crate) async fn update(db: &mut AnyConnection, row: &PaymentRow) -> Result<(), sqlx::Error> {
    let update = "UPDATE payments SET state = $2, told = $3, updated_at = $4 WHERE id = $1";
    sqlx::query(update)
        .bind(&row.id)
        .bind(row.state)
        .bind(row.told)
        .bind(row.updated_at)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn find(
    db: &mut AnyConnection,
    id: &Id,
) -> Result<Option<PaymentRow>, sqlx::Error> {
    let select = "SELECT * FROM payments WHERE id = $1";
    sqlx::query_as(select).bind(id).fetch_optional(db).await
}

/// Returns a request's valid payment, or else its newest payment. At most one payment is valid; all others have failed,
/// or were abandoned or returned.
pub(crate) async fn of_request(
    db: &mut AnyConnection,
    request: &Id,
) -> Result<Option<PaymentRow>, sqlx::Error> {
    let select = "SELECT * FROM payments WHERE request_id = $1 \
        ORDER BY CASE WHEN state IN ('failed', 'abandoned', 'returned') THEN 1 ELSE 0 END, id DESC LIMIT 1";
    sqlx::query_as(select)
        .bind(request)
        .fetch_optional(db)
        .await
}

/// Stores an event of the provider.
pub(crate) async fn insert_event(
    db: &mut AnyConnection,
    event: &str,
    row: &EventRow,
    now: Time,
) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO provider_events (id, payment_id, sequence, kind, unmatched, received_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(event)
        .bind(&row.payment_id)
        .bind(row.sequence)
        .bind(&row.kind)
        .bind(row.unmatched)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

row! {
    /// A stored event of the provider.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct EventRow {
        pub(crate) payment_id: Id,
        pub(crate) sequence: i64,
        pub(crate) kind: String,
        /// 1 if the event contradicts the known state, else 0.
        pub(crate) unmatched: i64,
    }
}

/// The event with this id, if it is stored.
pub(crate) async fn event(
    db: &mut AnyConnection,
    event: &str,
) -> Result<Option<EventRow>, sqlx::Error> {
    let select = "SELECT payment_id, sequence, kind, unmatched FROM provider_events WHERE id = $1";
    sqlx::query_as(select).bind(event).fetch_optional(db).await
}

row! {
    /// A provider event that contradicts the known state.
    #[derive(Debug, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct UnmatchedEvent {
        pub(crate) id: String,
        payment_id: Id,
        sequence: i64,
        kind: String,
        received_at: Time,
    }
}

/// Events that contradict the known state, newest first, at most `rows`.
pub(crate) async fn unmatched(
    db: &mut AnyConnection,
    rows: i64,
) -> Result<Vec<UnmatchedEvent>, sqlx::Error> {
    let select = "SELECT id, payment_id, sequence, kind, received_at FROM provider_events \
        WHERE unmatched = 1 ORDER BY received_at DESC, id LIMIT $1";
    sqlx::query_as(select).bind(rows).fetch_all(db).await
}

/// The number of events that contradict the known state.
pub(crate) async fn count_unmatched(db: &mut AnyConnection) -> Result<i64, sqlx::Error> {
    let select = "SELECT COUNT(*) FROM provider_events WHERE unmatched = 1";
    sqlx::query_scalar(select).fetch_one(db).await
}
