use std::fmt;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use kit::file::{open_private, prepare_database};
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use super::error::StoreError;

/// The location of a log, taken from its URL without the credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `SQLite` in memory, which is lost when the process ends.
    Memory,
    /// `SQLite` in this file.
    File(PathBuf),
    /// `PostgreSQL`, with host, port and database.
    Server(String),
}

impl Place {
    pub(super) fn of(url: &str) -> Result<Self, StoreError> {
        let (kind, _) = url.split_once(':').unwrap_or((url, ""));
        let unreadable = |why: sqlx::Error| StoreError::Open {
            place: format!("`{kind}:…`"),
            why: why.to_string(),
        };
        match kind {
            "sqlite" if url.contains(":memory:") || url.contains("mode=memory") => Ok(Self::Memory),
            "sqlite" => {
                let options = SqliteConnectOptions::from_str(url).map_err(unreadable)?;
                Ok(Self::File(options.get_filename().to_owned()))
            }
            "postgres" | "postgresql" => {
                let options = PgConnectOptions::from_str(url).map_err(unreadable)?;
                let (host, port) = (options.get_host(), options.get_port());
                let database = options.get_database().unwrap_or_default();
                Ok(Self::Server(format!(
                    "PostgreSQL at {host}:{port}/{database}"
                )))
            }
            other => Err(StoreError::Kind(other.to_owned())),
        }
    }

    /// Builds the error for a location that cannot be opened.
    pub(super) fn cannot_open(&self, why: impl fmt::Display) -> StoreError {
        StoreError::Open {
            place: self.to_string(),
            why: why.to_string(),
        }
    }

    /// Creates the database file so that only its owner can access it.
    pub(super) fn prepare(&self, url: &str) -> Result<(), StoreError> {
        match self {
            Self::File(path) => prepare_database(url, path).map_err(|why| self.cannot_open(why)),
            Self::Memory | Self::Server(_) => Ok(()),
        }
    }

    /// Locks an existing file against other servers, until the return value is dropped. Two servers that use one file
    /// would not see each other's edits.
    ///
    /// The lock is on a separate file next to the database, because `SQLite` loses its own locks when the process
    /// closes any descriptor of the database file.
    pub(super) fn lock(&self) -> Result<Option<File>, StoreError> {
        let Self::File(path) = self else {
            return Ok(None);
        };
        let cannot = |why: std::io::Error| self.cannot_open(why);
        let mut beside = path.canonicalize().map_err(cannot)?.into_os_string();
        beside.push(".lock");
        let lock = open_private(Path::new(&beside)).map_err(cannot)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Taken(self.to_string())),
            Err(TryLockError::Error(why)) => Err(cannot(why)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("in memory"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Server(address) => f.write_str(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_without_its_password() {
        for (url, said) in [
            ("sqlite::memory:", "in memory"),
            ("sqlite:some/file.db", "some/file.db"),
            ("sqlite:file.db?mode=rwc", "file.db"),
            (
                "postgres://ada:secret@10.0.0.7:5433/texts",
                "PostgreSQL at 10.0.0.7:5433/texts",
            ),
        ] {
            assert_eq!(Place::of(url).unwrap().to_string(), said);
        }
        let refused = Place::of("mysql://ada:secret@host/texts").unwrap_err();
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }

    #[test]
    fn a_file_has_one_server_at_a_time_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.db"), folder.path().join("b.db"));
        File::create(&file).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let held = Place::File(file.clone()).lock().unwrap();
        for other in [file.clone(), link] {
            let refused = Place::File(other).lock().unwrap_err();
            assert!(matches!(refused, StoreError::Taken(_)), "{refused}");
        }
        drop(held);
        assert!(Place::File(file).lock().is_ok());
    }
}
