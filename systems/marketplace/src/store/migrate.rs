use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use crate::types::Time;

/// The schema migrations, in order. A released migration is never changed.
const VERSIONS: &[&str] = &[
    include_str!("../sql/0001_accounts.sql"),
    include_str!("../sql/0002_trades.sql"),
    include_str!("../sql/0003_unmatched.sql"),
];

/// Migrates the tables to the newest version in one transaction. `lock` is a statement that prevents other nodes from
/// migrating at the same time.
pub(super) async fn run(
    mut transaction: Transaction<'static, Any>,
    lock: &'static str,
) -> Result<(), StoreError> {
    sqlx::raw_sql(lock).execute(&mut *transaction).await?;
    let table = "CREATE TABLE IF NOT EXISTS versions (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)";
    sqlx::raw_sql(table).execute(&mut *transaction).await?;
    let newest = sqlx::query("SELECT COALESCE(MAX(version), 0) FROM versions");
    let found: i64 = newest.fetch_one(&mut *transaction).await?.try_get(0)?;
    let known = i64::try_from(VERSIONS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for (version, statements) in (1..).zip(VERSIONS) {
        if version <= found {
            continue;
        }
        sqlx::raw_sql(*statements)
            .execute(&mut *transaction)
            .await?;
        sqlx::query("INSERT INTO versions (version, applied_at) VALUES ($1, $2)")
            .bind(version)
            .bind(Time::now())
            .execute(&mut *transaction)
            .await?;
        tracing::info!(version, "migrated the database");
    }
    Ok(transaction.commit().await?)
}
