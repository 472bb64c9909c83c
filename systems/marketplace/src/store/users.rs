use sqlx::AnyConnection;

use super::row::row;
use crate::types::words::words;
use crate::types::{Email, Id, Time};

words! {
    /// The role of a user.
    Role {
        /// Posts requests and pays.
        Buyer = "buyer",
        /// Makes offers and delivers.
        Seller = "seller",
        /// Creates users and resolves disputes.
        Admin = "admin",
    }
}

row! {
    /// A user.
    #[derive(Clone, Debug)]
    pub(crate) struct UserRow {
        pub(crate) id: Id,
        pub(crate) email: String,
        pub(crate) name: String,
        pub(crate) role: Role,
        pub(crate) telegram_chat: Option<String>,
        pub(crate) created_at: Time,
    }
}

row! {
    /// The data that a login is checked against.
    #[derive(Debug)]
    pub(crate) struct Credentials {
        pub(crate) id: Id,
        pub(crate) password_hash: String,
    }
}

pub(crate) async fn insert(
    db: &mut AnyConnection,
    user: &UserRow,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO users (id, email, name, role, password_hash, created_at) \
                  VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(&user.id)
        .bind(&user.email)
        .bind(&user.name)
        .bind(user.role)
        .bind(password_hash)
        .bind(user.created_at)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn find(db: &mut AnyConnection, id: &Id) -> Result<Option<UserRow>, sqlx::Error> {
    let select = "SELECT id, email, name, role, telegram_chat, created_at FROM users WHERE id = $1";
    sqlx::query_as(select).bind(id).fetch_optional(db).await
}

pub(crate) async fn credentials(
    db: &mut AnyConnection,
    email: &Email,
) -> Result<Option<Credentials>, sqlx::Error> {
    let select = "SELECT id, password_hash FROM users WHERE email = $1";
    let query = sqlx::query_as(select).bind(email.as_str());
    query.fetch_optional(db).await
}

pub(crate) async fn set_password_hash(
    db: &mut AnyConnection,
    id: &Id,
    hash: &str,
) -> Result<(), sqlx::Error> {
    let update = "UPDATE users SET password_hash = $2 WHERE id = $1";
    sqlx::query(update).bind(id).bind(hash).execute(db).await?;
    Ok(())
}

pub(crate) async fn set_telegram_chat(
    db: &mut AnyConnection,
    id: &Id,
    chat: Option<&str>,
) -> Result<(), sqlx::Error> {
    let update = "UPDATE users SET telegram_chat = $2 WHERE id = $1";
    sqlx::query(update)
        .bind(id)
        .bind(chat.map(str::to_owned))
        .execute(db)
        .await?;
    Ok(())
}

/// Users older than `after`, newest first.
pub(crate) async fn page(
    db: &mut AnyConnection,
    after: Option<&Id>,
    rows: i64,
) -> Result<Vec<UserRow>, sqlx::Error> {
    let select = "SELECT id, email, name, role, telegram_chat, created_at FROM users \
                  WHERE id < $1 ORDER BY id DESC LIMIT $2";
    let query = sqlx::query_as(select).bind(newest(after)).bind(rows);
    query.fetch_all(db).await
}

/// The exclusive upper bound of a page's ids. Without `after`, this is `g`, which sorts after all ids because they are
/// hexadecimal.
pub(crate) fn newest(after: Option<&Id>) -> &str {
    after.map_or("g", Id::as_str)
}
