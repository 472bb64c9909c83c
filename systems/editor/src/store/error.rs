/// Reason why the store cannot save or read. The error messages include the causes.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store does not exist or cannot be opened.
    #[error("cannot open the store {place}: {why}")]
    Open {
        /// The file, or the address of the database.
        place: String,
        /// The error that the database or the system reported.
        why: String,
    },
    /// Another server is using the file.
    #[error("another server already uses {0}; to share a store between nodes, use `postgres:`")]
    Taken(String),
    /// The database reported an error.
    #[error("the database reported an error: {0}")]
    Database(sqlx::Error),
    /// There is no driver for this kind of URL.
    #[error("`--store` must begin with `sqlite:` or `postgres:`, not with `{0}`")]
    Kind(String),
    /// A log contains an invalid update.
    #[error("the log of room `{0}` contains an invalid update")]
    Broken(String),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}
