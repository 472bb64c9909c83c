use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use kit::database::file_pool;
use kit::file::{open_private, prepare_database};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool};
use tokio::task::JoinHandle;

use super::write::Writer;
use crate::metrics::Counters;

/// The current version of the tables, as `PRAGMA user_version`.
const VERSION: i64 = 1;
const TABLES: &str = include_str!("../../sql/0001_registry.sql");
/// Time limit for a lock or a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections that read. One connection writes.
const READERS: u32 = 2;

/// Reason why the database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL is not one of `SQLite`.
    #[error("`--store` must begin with `sqlite:`, for example `sqlite:registry.db`")]
    Kind,
    /// Another registry uses the file.
    #[error("another registry uses {0}: stop it, or choose another file with --store")]
    Taken(PathBuf),
    /// The tables were created by a newer version.
    #[error(
        "the tables in {0} have version {1}, which this version does not know: use a newer headcount"
    )]
    TooNew(PathBuf, i64),
    /// The file cannot be used.
    #[error("cannot open the database {0}: {1}")]
    File(PathBuf, io::Error),
    /// The database reports an error.
    #[error("cannot open the database: {0}")]
    Database(#[from] sqlx::Error),
}

/// The open database.
#[derive(Debug)]
pub(crate) struct Store {
    pub(super) reader: SqlitePool,
    pub(super) writer: Writer,
    task: JoinHandle<()>,
    /// Locks the file against other registries, which would not see each other's registrations.
    _lock: File,
}

impl Store {
    /// Opens the database and creates it if it does not exist. With `sync`, a commit also survives a power failure, not
    /// only the end of the process.
    pub(crate) async fn open(
        url: &str,
        sync: bool,
        counters: Counters,
    ) -> Result<Self, StoreError> {
        if !url.starts_with("sqlite:") || url.contains(":memory:") {
            return Err(StoreError::Kind);
        }
        let options = SqliteConnectOptions::from_str(url)?;
        let path = options.get_filename().to_owned();
        prepare_database(url, &path).map_err(|why| StoreError::File(path.clone(), why))?;
        let lock = lock(&path)?;
        let synchronous = if sync {
            SqliteSynchronous::Full
        } else {
            SqliteSynchronous::Normal
        };
        let options = options
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(synchronous)
            .busy_timeout(PATIENCE);
        let writing = file_pool::<Sqlite>(1, PATIENCE)
            .connect_with(options.clone())
            .await?;
        let version: i64 = sqlx::query_scalar("PRAGMA user_version")
            .fetch_one(&writing)
            .await?;
        match version {
            0 => {
                let mut transaction = writing.begin().await?;
                sqlx::raw_sql(TABLES).execute(&mut *transaction).await?;
                sqlx::raw_sql("PRAGMA user_version = 1")
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
            }
            VERSION => {}
            newer => return Err(StoreError::TooNew(path, newer)),
        }
        let reader = file_pool::<Sqlite>(READERS, PATIENCE)
            .connect_with(options)
            .await?;
        let (writer, task) = Writer::start(writing, counters);
        Ok(Self {
            reader,
            writer,
            task,
            _lock: lock,
        })
    }

    /// Waits until everything is saved, and closes the database.
    pub(crate) async fn close(&self) {
        self.writer.finish();
        while !self.task.is_finished() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.reader.close().await;
    }
}

/// Locks a file next to the database, because `SQLite` loses its own locks when the process closes any descriptor of the
/// database file.
fn lock(path: &Path) -> Result<File, StoreError> {
    let cannot = |why| StoreError::File(path.to_owned(), why);
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let lock = open_private(Path::new(&beside)).map_err(cannot)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StoreError::Taken(path.to_owned())),
        Err(TryLockError::Error(why)) => Err(cannot(why)),
    }
}
