use std::fmt::Write as _;
use std::sync::Arc;

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{AnyPool, AssertSqlSafe, Row};

use super::pack;

/// Rows of one statement. Databases count parameters with 15 or 16 bits.
const ROWS: usize = 1000;
/// Connections to a database that serves many at once.
const CONNECTIONS: u32 = 4;

/// Why nothing can be saved or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused something.
    #[error("the store refuses: {0}")]
    Database(#[from] sqlx::Error),
    /// The address of a store that there is no driver for.
    #[error("`--store` must begin with `sqlite:` or `postgres:`, not be `{0}`")]
    Kind(String),
    /// A row that no update is in.
    #[error("the log of room `{0}` holds what is no update")]
    Broken(String),
}

/// The log of all rooms: a row is what came for one room in one batch.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pool: AnyPool,
    /// `?` for each parameter, as `SQLite` likes it best, instead of their numbers.
    marks: bool,
}

impl Log {
    /// Opens the log, and makes it where there is none.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        install_default_drivers();
        let (key, connections, before) = if url.starts_with("sqlite:") {
            let connections = if url.contains(":memory:") { 1 } else { 2 };
            (
                "INTEGER PRIMARY KEY AUTOINCREMENT",
                connections,
                "PRAGMA journal_mode = WAL",
            )
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            (
                "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
                CONNECTIONS,
                "SELECT 1",
            )
        } else {
            return Err(StoreError::Kind(url.to_owned()));
        };
        // A file that is not there is made.
        let made = if url.starts_with("sqlite:") && !url.contains('?') && connections > 1 {
            "?mode=rwc"
        } else {
            ""
        };
        let bytes = if url.starts_with("sqlite:") {
            "BLOB"
        } else {
            "BYTEA"
        };
        let pool = AnyPoolOptions::new()
            .max_connections(connections)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect(&format!("{url}{made}"))
            .await?;
        let table = format!(
            "CREATE TABLE IF NOT EXISTS editor_log (id {key}, room TEXT NOT NULL, data {bytes} NOT NULL)"
        );
        let index = "CREATE INDEX IF NOT EXISTS editor_log_room ON editor_log (room, id)";
        for statement in [before, &table, index] {
            sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
                .execute(&pool)
                .await?;
        }
        Ok(Self {
            pool,
            marks: url.starts_with("sqlite:"),
        })
    }

    /// Whether other nodes may write to it too.
    pub(crate) fn is_shared(&self) -> bool {
        !self.marks
    }

    /// The updates of a room, oldest first, in rows.
    pub(crate) async fn load(&self, room: &str) -> Result<Vec<Vec<u8>>, StoreError> {
        let rows = self.rows(room).await?;
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// The updates in a row.
    pub(crate) fn updates(row: &[u8]) -> impl Iterator<Item = &[u8]> {
        pack::updates(row)
    }

    /// A row of one update.
    pub(crate) fn row(update: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(update.len() + 4);
        pack::push(&mut row, update);
        row
    }

    /// Saves rows, all or none.
    pub(super) async fn append(&self, rows: &[(Arc<str>, Vec<u8>)]) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        for rows in rows.chunks(ROWS) {
            let mut statement = String::from("INSERT INTO editor_log (room, data) VALUES ");
            for at in 0..rows.len() {
                let comma = if at == 0 { "" } else { "," };
                // Writing to a string cannot fail.
                let _ = if self.marks {
                    write!(statement, "{comma}(?,?)")
                } else {
                    write!(statement, "{comma}(${},${})", 2 * at + 1, 2 * at + 2)
                };
            }
            let mut query = sqlx::query(AssertSqlSafe(statement)).persistent(false);
            for (room, data) in rows {
                query = query.bind(room.to_string()).bind(data.clone());
            }
            query.execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Puts one row in the place of all that a room has now; `merge` makes it of them. What another
    /// node adds meanwhile stays as it is.
    pub(super) async fn compact(
        &self,
        room: &Arc<str>,
        merge: fn(&[Vec<u8>]) -> Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let (ids, rows): (Vec<i64>, Vec<Vec<u8>>) = self.rows(room).await?.into_iter().unzip();
        let merged = tokio::task::spawn_blocking(move || merge(&rows)).await;
        let Ok(Some(merged)) = merged else {
            return Err(StoreError::Broken(room.to_string()));
        };
        let mut transaction = self.pool.begin().await?;
        let insert = sqlx::query("INSERT INTO editor_log (room, data) VALUES ($1, $2)");
        insert
            .bind(room.to_string())
            .bind(merged)
            .execute(&mut *transaction)
            .await?;
        for ids in ids.chunks(ROWS) {
            let list: Vec<String> = ids.iter().map(i64::to_string).collect();
            let statement = format!("DELETE FROM editor_log WHERE id IN ({})", list.join(","));
            let delete = sqlx::query(AssertSqlSafe(statement)).persistent(false);
            delete.execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Lets the database go, everything written.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }

    async fn rows(&self, room: &str) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        let query = sqlx::query("SELECT id, data FROM editor_log WHERE room = $1 ORDER BY id");
        let rows = query.bind(room.to_owned()).fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| Ok((row.try_get(0)?, row.try_get(1)?));
        rows.iter().map(read).collect()
    }
}
