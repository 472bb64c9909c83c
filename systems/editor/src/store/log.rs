use std::fmt::Write as _;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, Row};
use tokio::time::timeout;

use super::pack;
use super::place::Place;

/// Rows of one statement. Databases count parameters with 15 or 16 bits.
const ROWS: usize = 1000;
/// Rows read at once: a log need not fit into memory.
const PAGE: usize = 32;
/// Connections to a database that serves many at once.
const CONNECTIONS: u32 = 4;
/// How long the database may take to let somebody in.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why nothing can be saved or read. Causes are told in the message.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is not there, or lets nobody in.
    #[error("cannot open the store {place}: {why}")]
    Open {
        /// The file, or the database's address.
        place: String,
        /// What the database or the system says.
        why: String,
    },
    /// Another server has the file.
    #[error("another server saves in {0} already: nodes that share a store need `postgres:`")]
    Taken(String),
    /// The database refused something.
    #[error("the store refuses: {0}")]
    Database(sqlx::Error),
    /// The address of a store that there is no driver for.
    #[error("`--store` must begin with `sqlite:` or `postgres:`, not with `{0}`")]
    Kind(String),
    /// A row that no update is in.
    #[error("the log of room `{0}` holds what is no update")]
    Broken(String),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// The log of all rooms: a row is what came for one room in one batch.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pool: AnyPool,
    /// `?` for each parameter, as `SQLite` likes it best, instead of their numbers.
    marks: bool,
    /// Keeps other servers away from the file.
    _lock: Option<Arc<File>>,
}

impl Log {
    /// Opens the log, and makes it where there is none.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        install_default_drivers();
        let place = Place::of(url)?;
        let marks = !matches!(place, Place::Server(_));
        // A file that is not there is made.
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

    /// Whether other nodes may write to it too.
    pub(crate) fn is_shared(&self) -> bool {
        !self.marks
    }

    /// The next rows of a room behind the one of this number, oldest first; none at the end.
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

    /// Puts one row with `update` in the place of those with these numbers. What another node added
    /// meanwhile stays as it is.
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

    /// Lets the database go, everything written.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

async fn connect(place: &Place, url: &str) -> Result<AnyPool, StoreError> {
    let cannot = |error: sqlx::Error| place.cannot_open(error);
    if matches!(place, Place::Server(_)) {
        // A pool asks a server that is not there again and again, and in the end does not say why.
        let first = timeout(PATIENCE, AnyConnection::connect(url)).await;
        let first = first.map_err(|_| place.cannot_open("it does not answer"))?;
        first.map_err(cannot)?.close().await.map_err(cannot)?;
    }
    let connections = match place {
        Place::Memory => 1,
        Place::File(_) => 2,
        Place::Server(_) => CONNECTIONS,
    };
    let options = AnyPoolOptions::new()
        .max_connections(connections)
        .min_connections(1)
        .acquire_timeout(PATIENCE)
        .idle_timeout(None)
        .max_lifetime(None);
    options.connect(url).await.map_err(cannot)
}
