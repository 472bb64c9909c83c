use sqlx::AnyConnection;

use super::row::row;
use crate::types::words::words;
use crate::types::{Id, Time};

words! {
    /// The channels by which notifications are sent.
    Channel {
        /// The operator's URL, which receives signed requests.
        Webhook = "webhook",
        /// Telegram's bot API.
        Telegram = "telegram",
    }
}

row! {
    /// A notification that waits to be sent.
    #[derive(Clone, Debug)]
    pub(crate) struct OutboxRow {
        pub(crate) id: Id,
        pub(crate) channel: Channel,
        /// The Telegram chat. Empty for webhooks.
        pub(crate) target: String,
        pub(crate) body: String,
        pub(crate) attempts: i64,
        pub(crate) due_at: Time,
    }
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &OutboxRow) -> Result<(), sqlx::Error> {
    let insert =
        "INSERT INTO outbox (id, channel, target, body, due_at) VALUES ($1, $2, $3, $4, $5)";
    sqlx::query(insert)
        .bind(&row.id)
        .bind(row.channel)
        .bind(&row.target)
        .bind(&row.body)
        .bind(row.due_at)
        .execute(db)
        .await?;
    Ok(())
}

/// The due notifications of one channel, oldest first.
pub(crate) async fn due(
    db: &mut AnyConnection,
    channel: Channel,
    now: Time,
    rows: i64,
) -> Result<Vec<OutboxRow>, sqlx::Error> {
    let select = "SELECT * FROM outbox WHERE channel = $1 AND due_at <= $2 \
        ORDER BY due_at, id LIMIT $3";
    sqlx::query_as(select)
        .bind(channel)
        .bind(now)
        .bind(rows)
        .fetch_all(db)
        .await
}

/// Removes a notification that has arrived or is discarded.
pub(crate) async fn delete(db: &mut AnyConnection, id: &Id) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM outbox WHERE id = $1")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Counts a failed attempt and schedules the next one.
pub(crate) async fn postpone(
    db: &mut AnyConnection,
    id: &Id,
    due_at: Time,
) -> Result<(), sqlx::Error> {
    let update = "UPDATE outbox SET attempts = attempts + 1, due_at = $2 WHERE id = $1";
    sqlx::query(update)
        .bind(id)
        .bind(due_at)
        .execute(db)
        .await?;
    Ok(())
}

/// The number of notifications that are waiting to be sent.
pub(crate) async fn waiting(db: &mut AnyConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT COUNT(*) FROM outbox")
        .fetch_one(db)
        .await
}
