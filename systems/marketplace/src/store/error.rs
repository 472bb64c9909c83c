/// Reason why the store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database returned an error.
    #[error("cannot open the store: {0}")]
    Database(#[from] sqlx::Error),
    /// The URL has an unknown scheme.
    #[error("`--store` must begin with `sqlite:` or `postgres:`, not with `{0}`")]
    Kind(String),
    /// A newer version of the program has migrated the database.
    #[error(
        "the database has version {found}, but this program supports only versions up to {known}: update the program"
    )]
    Newer {
        /// The version of the database.
        found: i64,
        /// The newest version that this program supports.
        known: i64,
    },
}
