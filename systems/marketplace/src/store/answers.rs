use sqlx::AnyConnection;

use super::row::row;
use crate::types::Time;

/// An idempotency key. Writes with the same key are executed only once.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The owner of the key. It is part of the key because two users may choose the same name.
    pub(crate) caller: String,
    pub(crate) name: String,
    /// A hash of the request.
    pub(crate) fingerprint: String,
}

row! {
    /// A stored response.
    #[derive(Debug)]
    pub(crate) struct Kept {
        pub(crate) fingerprint: String,
        pub(crate) body: String,
    }
}

/// Claims the key and returns `None`. If the key is already claimed, returns the response stored under it. Waits while
/// another transaction holds the key.
pub(crate) async fn claim(
    db: &mut AnyConnection,
    key: &Key,
    now: Time,
) -> Result<Option<Kept>, sqlx::Error> {
    let insert = "INSERT INTO answers (caller, name, fingerprint, body, created_at) \
        VALUES ($1, $2, $3, '', $4) ON CONFLICT (caller, name) DO NOTHING";
    let claimed = sqlx::query(insert)
        .bind(&key.caller)
        .bind(&key.name)
        .bind(&key.fingerprint)
        .bind(now)
        .execute(&mut *db)
        .await?;
    if claimed.rows_affected() == 1 {
        return Ok(None);
    }
    let select = "SELECT fingerprint, body FROM answers WHERE caller = $1 AND name = $2";
    let query = sqlx::query_as(select).bind(&key.caller).bind(&key.name);
    query.fetch_one(db).await.map(Some)
}

/// Stores the response under a claimed key.
pub(crate) async fn keep(db: &mut AnyConnection, key: &Key, body: &str) -> Result<(), sqlx::Error> {
    let update = "UPDATE answers SET body = $3 WHERE caller = $1 AND name = $2";
    let query = sqlx::query(update).bind(&key.caller).bind(&key.name);
    query.bind(body).execute(db).await?;
    Ok(())
}

/// Deletes keys older than `before`.
pub(crate) async fn sweep(db: &mut AnyConnection, before: Time) -> Result<u64, sqlx::Error> {
    let delete = sqlx::query("DELETE FROM answers WHERE created_at < $1").bind(before);
    Ok(delete.execute(db).await?.rows_affected())
}
