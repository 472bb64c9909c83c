//! Files that nobody else on the machine may read: databases hold documents and password hashes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Its owner reads and writes it.
const PRIVATE: u32 = 0o600;
/// What the group and others may do.
const OTHERS: u32 = 0o077;

/// Opens a file for writing, and makes it where there is none, for its owner alone.
pub fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(false).write(true);
    options.mode(PRIVATE).open(path)
}

/// Makes the file of an `SQLite` database at `path` for its owner alone, where there is none and its address does not
/// say that there must be one. Warns when others may read one that is there: it may be meant so. `SQLite` gives the
/// files beside it the same permissions.
pub fn prepare_database(url: &str, path: &Path) -> io::Result<()> {
    let may_make = !url.contains('?') || url.contains("mode=rwc");
    if !may_make && !path.exists() {
        return Ok(());
    }
    let file = match open_private(path) {
        // Of a folder that is not there the database tells in its own words.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let mode = file.metadata()?.permissions().mode();
    if mode & OTHERS != 0 {
        let path = path.display();
        let mode = format!("{:o}", mode & 0o777);
        tracing::warn!(%path, mode, "other users of this machine may read the database: `chmod 600` it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_for_its_owner_alone_and_one_that_is_there_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.db");
        prepare_database("sqlite:new.db", &path).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        std::fs::write(&path, "kept").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        prepare_database("sqlite:new.db", &path).unwrap();
        assert_eq!(mode(&path), 0o640);
        assert_eq!(std::fs::read(&path).unwrap(), b"kept");
        let absent = folder.path().join("absent.db");
        prepare_database("sqlite:absent.db?mode=ro", &absent).unwrap();
        assert!(!absent.exists());
    }
}
