use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use record::Run;

use crate::screen::say;

/// Where a run was saved.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) folder: PathBuf,
}

/// Makes sure, before a run, that its folder can be written.
pub(crate) fn prepare_folder(wanted: Option<&Path>, started_at: &str) -> anyhow::Result<PathBuf> {
    let folder = wanted.map_or_else(
        || PathBuf::from(format!("headcount-run-{}", stamp(started_at))),
        Path::to_owned,
    );
    if holds_a_run(&folder) {
        anyhow::bail!(
            "{} holds a run already: give another folder, or remove it",
            folder.display()
        );
    }
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let probe = folder.join(".headcount");
    fs::write(&probe, b"")
        .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
    fs::remove_file(&probe)
        .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
    Ok(folder)
}

/// Writes run.json and report.md; when the folder's disk is full, into the temporary folder instead.
/// What was measured is lost only when neither takes it.
pub(crate) fn save(run: &Run, folder: &Path) -> anyhow::Result<Saved> {
    let json = record::to_json(run).context("cannot encode the record")?;
    let markdown = report::markdown(run);
    match fs::create_dir_all(folder).and_then(|()| write_both(folder, &json, &markdown)) {
        Ok(()) => Ok(Saved {
            folder: folder.to_owned(),
        }),
        Err(why) => {
            let name = folder.file_name().unwrap_or("headcount-run".as_ref());
            let fallback = unused(&std::env::temp_dir().join(name));
            say(&format!(
                "warning: cannot save the record in {}: {why}",
                folder.display()
            ));
            fs::create_dir_all(&fallback)
                .and_then(|()| write_both(&fallback, &json, &markdown))
                .with_context(|| {
                    format!("cannot save the record in {} either", fallback.display())
                })?;
            say(&format!(
                "hint: it is saved in {} instead",
                fallback.display()
            ));
            Ok(Saved { folder: fallback })
        }
    }
}

fn holds_a_run(folder: &Path) -> bool {
    folder.join("run.json").exists() || folder.join("report.md").exists()
}

/// The folder, or the first of `name-2`, `name-3` … that holds no run yet.
fn unused(folder: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = folder.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    let candidates = std::iter::once(folder.to_owned()).chain((2..=u32::MAX).map(numbered));
    let mut free = candidates.filter(|candidate| !holds_a_run(candidate));
    free.next().unwrap_or_else(|| folder.to_owned())
}

/// Writes one more text into the folder, whole or not at all.
pub(crate) fn save_text(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    write_whole(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn write_both(folder: &Path, json: &str, markdown: &str) -> io::Result<()> {
    write_whole(&folder.join("run.json"), json)?;
    write_whole(&folder.join("report.md"), markdown)
}

/// Whole or not at all: a file that was cut by a full disk never bears the real name.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let part = path.with_extension("part");
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    if let Err(why) = written {
        let _ = fs::remove_file(&part); // it is of no use, and the real error is told
        return Err(why);
    }
    fs::rename(&part, path)
}

/// `2026-11-21T12:00:00.123Z` as it can stand in a file name: `20261121T120000`.
fn stamp(started_at: &str) -> String {
    started_at
        .chars()
        .take(19)
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_place_to_save_holds_no_other_run() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("run");
        assert_eq!(unused(&wanted), wanted);
        for taken in ["run", "run-2"] {
            fs::create_dir(folder.path().join(taken)).unwrap();
            fs::write(folder.path().join(taken).join("run.json"), "{}").unwrap();
        }
        assert_eq!(unused(&wanted), folder.path().join("run-3"));
    }

    #[test]
    fn a_folder_is_named_by_the_time() {
        assert_eq!(stamp("2026-11-21T12:00:00.123Z"), "20261121T120000");
    }
}
