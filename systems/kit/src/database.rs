//! The location of a system's database, and its connections.

use std::io;
use std::time::Duration;

use sqlx::pool::PoolOptions;
use tempfile::TempDir;

/// The URL of a database. If the database is in a temporary folder, dropping this value deletes the folder.
#[derive(Debug)]
pub struct Database {
    /// `sqlite:FILE`, or the URL that the configuration states.
    pub url: String,
    folder: Option<TempDir>,
}

impl Database {
    /// Returns the configured database, or else `{data}.db` in a new temporary folder for this system, and logs where
    /// it is. With separate files, a load test does not find the data of an earlier run.
    ///
    /// # Errors
    ///
    /// The temporary folder cannot be created.
    pub fn of(configured: Option<&str>, system: &str, data: &str) -> io::Result<Self> {
        if let Some(url) = configured {
            return Ok(Self {
                url: url.to_owned(),
                folder: None,
            });
        }
        let folder = TempDir::with_prefix(format!("headcount-{system}-"))?;
        let url = format!("sqlite:{}/{data}.db", folder.path().display());
        tracing::info!(
            store = url,
            "{data} are saved in a temporary file and deleted at the end; `--store` keeps them"
        );
        Ok(Self {
            url,
            folder: Some(folder),
        })
    }

    /// Whether the database is deleted at the end.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.folder.is_some()
    }
}

/// The options of a pool of connections to a database server. An acquired connection is checked first, and replaced if
/// the server has closed it. `patience` is the maximum time that a request waits for a connection.
#[must_use]
pub fn server_pool<DB: sqlx::Database>(connections: u32, patience: Duration) -> PoolOptions<DB> {
    PoolOptions::new()
        .max_connections(connections)
        .min_connections(1)
        .acquire_timeout(patience)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// The options of a pool of connections to an `SQLite` file.
///
/// A request that is cancelled while it opens or checks a connection drops that connection. Each one has a thread of its
/// own, so clients that come and go would make the server start threads all the time. A connection to a file is never
/// closed from outside, so it needs no check, and all are opened at the start.
#[must_use]
pub fn file_pool<DB: sqlx::Database>(connections: u32, patience: Duration) -> PoolOptions<DB> {
    server_pool(connections, patience)
        .min_connections(connections)
        .test_before_acquire(false)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use sqlx::Sqlite;
    use sqlx::pool::PoolOptions;
    use tempfile::TempDir;

    use super::{Database, file_pool, server_pool};

    const PATIENCE: Duration = Duration::from_secs(5);

    /// More connections than this are many for a pool of two.
    const MANY: u32 = 10;

    /// Returns the number of connections that are opened while at most this many requests are cancelled when they first
    /// wait. Ends when there are many.
    async fn opened(options: PoolOptions<Sqlite>, requests: u32) -> u32 {
        let folder = TempDir::new().unwrap();
        let url = format!("sqlite:{}/test.db?mode=rwc", folder.path().display());
        let opened = Arc::new(AtomicU32::new(0));
        let counter = opened.clone();
        let pool = options
            .after_connect(move |_, _| {
                counter.fetch_add(1, Ordering::Relaxed);
                Box::pin(async { Ok(()) })
            })
            .connect(&url)
            .await
            .unwrap();
        for _ in 0..requests {
            if opened.load(Ordering::Relaxed) > MANY {
                break;
            }
            drop(pool.acquire().now_or_never());
            // A served request returns its connection.
            drop(pool.acquire().await.unwrap());
        }
        pool.close().await;
        opened.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn cancelled_requests_open_no_connections_to_a_file() {
        assert_eq!(opened(file_pool(2, PATIENCE), 100).await, 2);
        // On a busy machine, the thread of a connection often answers before the request waits.
        assert!(opened(server_pool(2, PATIENCE), 10_000).await > MANY);
    }

    #[test]
    fn without_a_store_data_are_saved_in_a_folder_that_is_deleted_at_the_end() {
        let database = Database::of(None, "editor", "documents").unwrap();
        assert!(database.is_temporary());
        let file = database.url.strip_prefix("sqlite:").unwrap().to_owned();
        assert!(file.ends_with("/documents.db"), "{file}");
        let folder = Path::new(&file).parent().unwrap().to_owned();
        assert!(folder.is_dir());
        drop(database);
        assert!(!folder.exists());
        let given = Database::of(Some("sqlite:mine.db"), "editor", "documents").unwrap();
        assert_eq!(given.url, "sqlite:mine.db");
        assert!(!given.is_temporary());
    }
}
