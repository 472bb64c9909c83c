//! Files that no other user of the machine may read, because databases hold documents and password hashes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Permissions of a private file: the owner may read and write.
const PRIVATE: u32 = 0o600;
/// Mask of all permissions of the group and of others.
const OTHERS: u32 = 0o077;

/// Opens a file for writing. If the file does not exist, creates it with access for its owner only.
pub fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(false).write(true);
    options.mode(PRIVATE).open(path)
}

/// Creates the file of an `SQLite` database with access for its owner only. Creates nothing if the file exists, or if
/// the URL's mode forbids it. Logs a warning if others may read an existing file, because that may be intended.
/// `SQLite` gives its journal files the same permissions.
pub fn prepare_database(url: &str, path: &Path) -> io::Result<()> {
    let may_make = !url.contains('?') || url.contains("mode=rwc");
    if !may_make && !path.exists() {
        return Ok(());
    }
    let file = match open_private(path) {
        // If the folder does not exist, opening the database reports that.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let mode = file.metadata()?.permissions().mode();
    if mode & OTHERS != 0 {
        let path = path.display();
        let mode = format!("{:o}", mode & 0o777);
        tracing::warn!(%path, mode, "other users of this machine can read the database: run `chmod 600`");
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
