use sqlx::AnyConnection;

use super::row::row;
use super::users::Role;
use crate::types::{Id, Time};

row! {
    /// A session. Its tokens are stored as hashes.
    #[derive(Clone, Debug)]
    pub(crate) struct SessionRow {
        pub(crate) id: Id,
        pub(crate) user_id: Id,
        pub(crate) access_hash: String,
        pub(crate) access_until: Time,
        pub(crate) refresh_hash: String,
        pub(crate) refresh_until: Time,
    }
}

row! {
    /// The user to whom a token belongs, and the session.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Holder {
        pub(crate) id: Id,
        pub(crate) role: Role,
        pub(crate) session: Id,
    }
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &SessionRow) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO sessions \
        (id, user_id, access_hash, access_until, refresh_hash, refresh_until) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(&row.id)
        .bind(&row.user_id)
        .bind(&row.access_hash)
        .bind(row.access_until)
        .bind(&row.refresh_hash)
        .bind(row.refresh_until)
        .execute(db)
        .await?;
    Ok(())
}

/// The user and session of an access token. `None` if the token is unknown or has expired.
pub(crate) async fn holder(
    db: &mut AnyConnection,
    access_hash: &str,
    now: Time,
) -> Result<Option<Holder>, sqlx::Error> {
    let select = "SELECT users.id AS id, users.role AS role, sessions.id AS session \
        FROM sessions JOIN users ON users.id = sessions.user_id \
        WHERE sessions.access_hash = $1 AND sessions.access_until > $2";
    let query = sqlx::query_as(select).bind(access_hash).bind(now);
    query.fetch_optional(db).await
}

/// The session with this refresh token.
pub(crate) async fn by_refresh(
    db: &mut AnyConnection,
    refresh_hash: &str,
) -> Result<Option<SessionRow>, sqlx::Error> {
    let select = "SELECT id, user_id, access_hash, access_until, refresh_hash, refresh_until \
        FROM sessions WHERE refresh_hash = $1";
    sqlx::query_as(select)
        .bind(refresh_hash)
        .fetch_optional(db)
        .await
}

/// Stores new tokens for a session, and records the old refresh token as used. Returns `false` if another request
/// renewed the session first.
pub(crate) async fn renew(
    db: &mut AnyConnection,
    spent: &str,
    row: &SessionRow,
) -> Result<bool, sqlx::Error> {
    let update = "UPDATE sessions SET access_hash = $3, access_until = $4, refresh_hash = $5, \
        refresh_until = $6 WHERE id = $1 AND refresh_hash = $2";
    let done = sqlx::query(update)
        .bind(&row.id)
        .bind(spent)
        .bind(&row.access_hash)
        .bind(row.access_until)
        .bind(&row.refresh_hash)
        .bind(row.refresh_until)
        .execute(&mut *db)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    let insert = "INSERT INTO spent_tokens (refresh_hash, session_id) VALUES ($1, $2)";
    sqlx::query(insert)
        .bind(spent)
        .bind(&row.id)
        .execute(db)
        .await?;
    Ok(true)
}

/// The session in which this refresh token was already used.
pub(crate) async fn by_spent(
    db: &mut AnyConnection,
    refresh_hash: &str,
) -> Result<Option<Id>, sqlx::Error> {
    let select = "SELECT session_id FROM spent_tokens WHERE refresh_hash = $1";
    sqlx::query_scalar(select)
        .bind(refresh_hash)
        .fetch_optional(db)
        .await
}

/// Deletes a session and its used tokens.
pub(crate) async fn delete(db: &mut AnyConnection, id: &Id) -> Result<(), sqlx::Error> {
    for statement in [
        "DELETE FROM spent_tokens WHERE session_id = $1",
        "DELETE FROM sessions WHERE id = $1",
    ] {
        sqlx::query(statement).bind(id).execute(&mut *db).await?;
    }
    Ok(())
}

/// Deletes sessions that can no longer be refreshed.
pub(crate) async fn sweep(db: &mut AnyConnection, now: Time) -> Result<u64, sqlx::Error> {
    let spent = "DELETE FROM spent_tokens WHERE session_id IN (SELECT id FROM sessions WHERE refresh_until <= $1)";
    sqlx::query(spent).bind(now).execute(&mut *db).await?;
    let delete = "DELETE FROM sessions WHERE refresh_until <= $1";
    Ok(sqlx::query(delete)
        .bind(now)
        .execute(db)
        .await?
        .rows_affected())
}
