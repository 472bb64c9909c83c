use sqlx::{AnyConnection, Row};

use super::row::row;
use crate::types::words::words;
use crate::types::{Id, Time};

words! {
    /// The kinds of notifications.
    NoticeKind {
        OfferReceived = "offer_received",
        OfferCountered = "offer_countered",
        OfferRejected = "offer_rejected",
        OfferWithdrawn = "offer_withdrawn",
        OfferExpired = "offer_expired",
        /// Sent to the seller who was selected, or to the buyer whose counter-offer was accepted.
        OfferAccepted = "offer_accepted",
        /// Sent to the sellers who were not selected.
        OfferLost = "offer_lost",
        RequestCancelled = "request_cancelled",
        RequestExpired = "request_expired",
        PaymentReceived = "payment_received",
        PaymentFailed = "payment_failed",
        PaymentRefunded = "payment_refunded",
        DeliveryUpdated = "delivery_updated",
        DeliveryConfirmed = "delivery_confirmed",
        DisputeOpened = "dispute_opened",
        DisputeResolved = "dispute_resolved",
        Rated = "rated",
    }
}

/// A notification that is not stored yet.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) user: Id,
    pub(crate) kind: NoticeKind,
    pub(crate) request: Id,
    /// Details that depend on `kind`, as a JSON object.
    pub(crate) data: serde_json::Value,
    /// Identifies the event. A unique index prevents two notifications of the same event for one user.
    pub(crate) cause: String,
}

row! {
    /// A notification in a user's list.
    #[derive(Clone, Debug)]
    pub(crate) struct NotificationRow {
        /// Position in the user's list, from 1, without a gap.
        pub(crate) sequence: i64,
        pub(crate) kind: NoticeKind,
        pub(crate) request_id: Id,
        pub(crate) data: String,
        pub(crate) created_at: Time,
        pub(crate) read_at: Option<Time>,
    }
}

/// The position of a new notification, and the Telegram chat of its user.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) sequence: i64,
    pub(crate) telegram_chat: Option<String>,
}

/// Appends a notification to its user's list. The update of `users` locks the list until the transaction ends. The list
/// therefore has no gaps, and no notification appears before one that was already read.
pub(crate) async fn insert(
    db: &mut AnyConnection,
    notice: &Notice,
    now: Time,
) -> Result<Placed, sqlx::Error> {
    let count =
        "UPDATE users SET notified = notified + 1 WHERE id = $1 RETURNING notified, telegram_chat";
    let counted = sqlx::query(count)
        .bind(&notice.user)
        .fetch_one(&mut *db)
        .await?;
    let placed = Placed {
        sequence: counted.try_get(0)?,
        telegram_chat: counted.try_get(1)?,
    };
    let insert = "INSERT INTO notifications (user_id, sequence, kind, request_id, data, cause, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    sqlx::query(insert)
        .bind(&notice.user)
        .bind(placed.sequence)
        .bind(notice.kind)
        .bind(&notice.request)
        .bind(notice.data.to_string())
        .bind(&notice.cause)
        .bind(now)
        .execute(db)
        .await?;
    Ok(placed)
}

/// A user's notifications before a position in the list, newest first.
pub(crate) async fn page(
    db: &mut AnyConnection,
    user: &Id,
    before: i64,
    unread: bool,
    rows: i64,
) -> Result<Vec<NotificationRow>, sqlx::Error> {
    let select = "SELECT sequence, kind, request_id, data, created_at, read_at FROM notifications \
        WHERE user_id = $1 AND sequence < $2 AND ($3 = 0 OR read_at IS NULL) \
        ORDER BY sequence DESC LIMIT $4";
    let query = sqlx::query_as(select).bind(user).bind(before);
    query.bind(i64::from(unread)).bind(rows).fetch_all(db).await
}

/// A user's notifications after a position in the list, oldest first.
pub(crate) async fn since(
    db: &mut AnyConnection,
    user: &Id,
    after: i64,
    rows: i64,
) -> Result<Vec<NotificationRow>, sqlx::Error> {
    let select = "SELECT sequence, kind, request_id, data, created_at, read_at FROM notifications \
        WHERE user_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3";
    let query = sqlx::query_as(select).bind(user).bind(after);
    query.bind(rows).fetch_all(db).await
}

/// The position of a user's newest notification; 0 if there is none.
pub(crate) async fn last(db: &mut AnyConnection, user: &Id) -> Result<i64, sqlx::Error> {
    let select = "SELECT notified FROM users WHERE id = $1";
    sqlx::query_scalar(select).bind(user).fetch_one(db).await
}

/// Marks a user's notifications as read, up to a position. Returns the number of notifications that were unread.
pub(crate) async fn mark_read(
    db: &mut AnyConnection,
    user: &Id,
    up_to: i64,
    now: Time,
) -> Result<u64, sqlx::Error> {
    let update = "UPDATE notifications SET read_at = $3 WHERE user_id = $1 AND sequence <= $2 AND read_at IS NULL";
    let query = sqlx::query(update).bind(user).bind(up_to).bind(now);
    Ok(query.execute(db).await?.rows_affected())
}
