use std::fmt::Write as _;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use kit::database::{file_pool, server_pool};
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, Row};
use tokio::time::timeout;

use super::error::StoreError;
use super::pack;
use super::place::Place;

/// Maximum number of rows per statement. Databases limit the number of parameters to 15 or 16 bits.
const ROWS: usize = 1000;
/// Number of rows per read. A whole log may not fit into memory.
const PAGE: usize = 32;
/// Maximum number of connections to a database server.
const CONNECTIONS: u32 = 4;
/// Time limit for opening a database connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// The log of all rooms. A row contains the updates of one room from one batch.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pool: AnyPool,
    /// Whether parameters are written as `?` instead of as numbers. True only for `SQLite`, which prefers `?`.
    marks: bool,
    /// Locks the file against other servers.
    _lock: Option<Arc<File>>,
}

impl Log {
    /// Opens the log and creates it if necessary.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        install_default_drivers();
        let place = Place::of(url)?;
        let marks = !matches!(place, Place::Server(_));
        // Create the file if it does not exist.
        let made = if matches!(place, Place::File(_)) && !url.contains('?') {
            "?mode=rwc"
        } else {
            ""
        };
        place.prepare(url)?;
        let pool = connect(&place, &format!("{url}{made}")).await?;
        let lock = place.lock()?.map(Arc::new);
        let before = if marks {
            "PRAGMA journal_mode = WAL"
        } else {
            "SELECT 1"
        };
        let (key, bytes) = if marks {
            ("INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB")
        } else {
            ("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BYTEA")
        };
        let table = format!(
            "CREATE TABLE IF NOT EXISTS editor_log (id {key}, room TEXT NOT NULL, data {bytes} NOT NULL)"
        );
        let index = "CREATE INDEX IF NOT EXISTS editor_log_room ON editor_log (room, id)";
        for statement in [before, &table, index] {
            let done = sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&pool);
            done.await.map_err(|error| place.cannot_open(error))?;
        }
        Ok(Self {
            pool,
            marks,
            _lock: lock,
        })
    }

    /// Whether other nodes may also write to the log.
    pub(crate) fn is_shared(&self) -> bool {
        !self.marks
    }

    /// Returns a room's next rows after the id `after`, oldest first. Empty at the end of the log.
    pub(super) async fn page(
        &self,
        room: &str,
        after: i64,
    ) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        let query = format!(
            "SELECT id, data FROM editor_log WHERE room = $1 AND id > $2 ORDER BY id LIMIT {PAGE}"
        );
        let query = sqlx::query(AssertSqlSafe(query)).bind(room.to_owned());
        let rows = query.bind(after).fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| Ok((row.try_get(0)?, row.try_get(1)?));
        rows.iter().map(read).collect()
    }

    /// Saves either all rows or none.
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

    /// Replaces the rows with these ids by one row with `update`. Rows that another node has added in the meantime are
    /// kept.
    pub(super) async fn replace(
        &self,
        room: &str,
        ids: &[i64],
        update: &[u8],
    ) -> Result<(), StoreError> {
        let mut row = Vec::with_capacity(update.len() + 4);
        pack::push(&mut row, update);
        let mut transaction = self.pool.begin().await?;
        let insert = sqlx::query("INSERT INTO editor_log (room, data) VALUES ($1, $2)");
        let insert = insert.bind(room.to_owned()).bind(row);
        insert.execute(&mut *transaction).await?;
        for ids in ids.chunks(ROWS) {
            let list: Vec<String> = ids.iter().map(i64::to_string).collect();
            let statement = format!("DELETE FROM editor_log WHERE id IN ({})", list.join(","));
            let delete = sqlx::query(AssertSqlSafe(statement)).persistent(false);
            delete.execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Waits for all writes, and closes the database.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

async fn connect(place: &Place, url: &str) -> Result<AnyPool, StoreError> {
    let cannot = |error: sqlx::Error| place.cannot_open(error);
    if matches!(place, Place::Server(_)) {
        // Try one connection first, because a pool retries an unreachable server until its timeout and does not report
        // the reason.
        let first = timeout(PATIENCE, AnyConnection::connect(url)).await;
        let first = first.map_err(|_| place.cannot_open("it does not respond"))?;
        first.map_err(cannot)?.close().await.map_err(cannot)?;
    }
    let options: AnyPoolOptions = match place {
        Place::Memory => file_pool(1, PATIENCE),
        Place::File(_) => file_pool(2, PATIENCE),
        Place::Server(_) => server_pool(CONNECTIONS, PATIENCE),
    };
    options.connect(url).await.map_err(cannot)
}
