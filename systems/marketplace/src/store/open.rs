use std::str::FromStr;
use std::time::Duration;

use kit::database::{file_pool, server_pool};
use kit::file::prepare_database;
use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Any, AnyPool, Executor, Transaction};

use super::config::StoreConfig;
use super::error::StoreError;
use super::migrate;

/// Maximum total time that a request waits for the database, including connections, statements and commits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The database. For `SQLite`, one connection writes, so that writers queue instead of failing, and several connections
/// read. `PostgreSQL` has one pool for both.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    writer: AnyPool,
    reader: AnyPool,
    dialect: Dialect,
}

/// The kind of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Sqlite,
    Postgres,
}

impl Store {
    /// Opens the store at a URL and migrates it to the newest version. Creates the store if it does not exist.
    pub(crate) async fn open(url: &str, config: &StoreConfig) -> Result<Self, StoreError> {
        install_default_drivers();
        let store = Self::connect(url, config).await?;
        let lock = match store.dialect {
            Dialect::Sqlite => "SELECT 1",
            Dialect::Postgres => "SELECT pg_advisory_xact_lock(4711)",
        };
        migrate::run(store.begin().await?, lock).await?;
        Ok(store)
    }

    async fn connect(url: &str, config: &StoreConfig) -> Result<Self, StoreError> {
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            let pool = server_pool(config.connections, PATIENCE)
                .connect(url)
                .await?;
            return Ok(Self {
                writer: pool.clone(),
                reader: pool,
                dialect: Dialect::Postgres,
            });
        }
        if !url.starts_with("sqlite:") {
            let kind = url.split(':').next().unwrap_or_default();
            return Err(StoreError::Kind(kind.to_owned()));
        }
        let in_memory = url.contains(":memory:");
        // Create the file if it does not exist.
        let made = if url.contains('?') || in_memory {
            ""
        } else {
            "?mode=rwc"
        };
        if !in_memory {
            let file = SqliteConnectOptions::from_str(url)?;
            let made = prepare_database(url, file.get_filename());
            made.map_err(|why| StoreError::Database(why.into()))?;
        }
        let url = format!("{url}{made}");
        let synchronous = if config.sync {
            "PRAGMA synchronous = FULL"
        } else {
            "PRAGMA synchronous = NORMAL"
        };
        let before = ["PRAGMA journal_mode = WAL", synchronous];
        let writer = sqlite_pool(1, before).connect(&url).await?;
        let reader = if in_memory {
            writer.clone()
        } else {
            sqlite_pool(config.connections, before)
                .connect(&url)
                .await?
        };
        Ok(Self {
            writer,
            reader,
            dialect: Dialect::Sqlite,
        })
    }

    /// Begins a transaction that may write.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.dialect {
            // Lock at the start. Otherwise, a transaction that begins with a read would fail at its first write if
            // another transaction had written in between.
            Dialect::Sqlite => self.writer.begin_with("BEGIN IMMEDIATE").await,
            Dialect::Postgres => self.writer.begin().await,
        }
    }

    /// Returns a connection for reading.
    pub(crate) async fn read(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        self.reader.acquire().await
    }

    /// The name of the database system, for people.
    pub(crate) fn kind(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgres",
        }
    }

    /// The numbers of read connections that are in use and that are open.
    pub(crate) fn connections(&self) -> (u32, u32) {
        let (size, idle) = (self.reader.size(), self.reader.num_idle());
        (
            size.saturating_sub(u32::try_from(idle).unwrap_or(u32::MAX)),
            size,
        )
    }

    /// Closes all connections when all data has been written.
    pub(crate) async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
}

/// The options of a pool for `SQLite`. Every new connection first executes the statements in `before`.
fn sqlite_pool(connections: u32, before: [&'static str; 2]) -> AnyPoolOptions {
    file_pool::<Any>(connections, PATIENCE).after_connect(move |connection, _| {
        Box::pin(async move {
            for statement in before {
                connection.execute(statement).await?;
            }
            Ok(())
        })
    })
}
