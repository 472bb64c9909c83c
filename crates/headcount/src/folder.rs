//! The folder of a run. No other run can use it from before the run's start until the program ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The file that names a run on a fleet, until the run is saved.
pub(crate) const FLEET_NOTE: &str = "fleet.json";

/// A folder that no other run writes to.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    /// The lock. The kernel releases it, no matter how the program ends. `None` if the file system does not support
    /// locks.
    _lock: Option<File>,
}

impl RunFolder {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates and locks the folder of a run before the run starts, and checks that it is writable.
    ///
    /// Without `wanted`, the folder is new, and its name contains the time. Fails if the folder contains a run, or if
    /// another run uses it.
    pub(crate) fn claim(wanted: Option<&Path>, started_at: &str) -> anyhow::Result<Self> {
        let path = if let Some(wanted) = wanted {
            fs::create_dir_all(wanted).with_context(|| cannot_make(wanted))?;
            wanted.to_owned()
        } else {
            let name = PathBuf::from(format!("headcount-run-{}", stamp(started_at)));
            create_fresh(&name).with_context(|| cannot_make(&name))?
        };
        let lock = lock(&path)?;
        // This check must follow the locking, because the previous owner of the lock may have saved a run.
        if holds_a_run(&path) {
            anyhow::bail!(
                "{} already contains a run: choose another folder, or remove it",
                path.display()
            );
        }
        if path.join(FLEET_NOTE).exists() {
            anyhow::bail!(
                "{0} belongs to an interrupted run on a fleet: continue it with `--resume {0}`, or choose another folder",
                path.display()
            );
        }
        check_writable(&path)?;
        Ok(Self { path, _lock: lock })
    }

    /// Locks the folder of an interrupted search, to continue it. Fails if another run uses the folder.
    pub(crate) fn reopen(path: &Path) -> anyhow::Result<Self> {
        let lock = lock(path)?;
        check_writable(path)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }
}

/// If the folder is not writable, the program must fail before the run, not after it.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    let probe = path.join(".headcount");
    fs::write(&probe, b"")
        .and_then(|()| fs::remove_file(&probe))
        .with_context(|| format!("cannot write to the folder {}", path.display()))
}

/// Creates the folder `name`, or else the first of `name-2`, `name-3` … that does not exist. Two callers never get the
/// same folder.
pub(crate) fn create_fresh(name: &Path) -> io::Result<PathBuf> {
    let numbered = |number: u32| {
        let mut name = name.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    let mut names = std::iter::once(name.to_owned()).chain((2..=u32::MAX).map(numbered));
    loop {
        let name = names.next().ok_or(io::ErrorKind::AlreadyExists)?;
        match fs::create_dir(&name) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| name),
        }
    }
}

fn lock(path: &Path) -> anyhow::Result<Option<File>> {
    let folder =
        File::open(path).with_context(|| format!("cannot open the folder {}", path.display()))?;
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => anyhow::bail!(
            "another run is writing to {}: choose another folder",
            path.display()
        ),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn cannot_make(folder: &Path) -> String {
    format!("cannot create the folder {}", folder.display())
}

fn holds_a_run(folder: &Path) -> bool {
    let saved = [
        "run.json",
        "report.md",
        "report.html",
        "find.json",
        "find-map.json",
    ];
    saved.iter().any(|name| folder.join(name).exists())
}

/// Shortens `2026-11-21T12:00:00.123Z` for use in a file name: `20261121T120000`.
fn stamp(started_at: &str) -> String {
    started_at
        .chars()
        .take(19)
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use super::*;

    #[test]
    fn no_two_get_the_same_new_folder() {
        let parent = tempfile::tempdir().unwrap();
        let wanted = parent.path().join("run");
        let makers: Vec<_> = (0..8)
            .map(|_| {
                let wanted = wanted.clone();
                thread::spawn(move || create_fresh(&wanted).unwrap())
            })
            .collect();
        let made: BTreeSet<PathBuf> = makers.into_iter().map(|it| it.join().unwrap()).collect();
        let expected = (1..=8).map(|number| match number {
            1 => wanted.clone(),
            _ => parent.path().join(format!("run-{number}")),
        });
        assert_eq!(made, expected.collect());
    }

    #[test]
    fn a_folder_is_one_runs_until_it_is_done_with_it() {
        let parent = tempfile::tempdir().unwrap();
        let wanted = parent.path().join("a/run");
        let claim = || RunFolder::claim(Some(&wanted), "");
        let first = claim().unwrap();
        let refused = claim().unwrap_err().to_string();
        assert!(refused.contains("another run is writing to"), "{refused}");
        drop(first);
        drop(claim().unwrap());
        fs::write(wanted.join(FLEET_NOTE), "{}").unwrap();
        let refused = claim().unwrap_err().to_string();
        assert!(refused.contains("--resume"), "{refused}");
        fs::write(wanted.join("run.json"), "{}").unwrap();
        let refused = claim().unwrap_err().to_string();
        assert!(refused.contains("already contains a run"), "{refused}");
    }

    #[test]
    fn a_folder_is_named_by_the_time() {
        assert_eq!(stamp("2026-11-21T12:00:00.123Z"), "20261121T120000");
    }
}
