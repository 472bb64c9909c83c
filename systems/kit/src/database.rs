//! The location of a system's database.

use std::io;

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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Database;

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
