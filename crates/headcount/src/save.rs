use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use model::without_credentials;
use record::Run;

use crate::folder::create_fresh;
use crate::saved_runs::RECORD;
use crate::screen::say;

/// The place where a run is saved.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) folder: PathBuf,
}

/// Writes run.json, report.md and report.html into the folder. If that fails, for example because the disk is full, writes them to
/// the system's temporary folder. The measurements are lost only if both attempts fail.
///
/// `last` finds an earlier run of the same script, for report.html. It is called when the record is on the disk.
pub(crate) fn save(
    run: &Run,
    folder: &Path,
    last: impl Fn() -> Option<Run>,
) -> anyhow::Result<Saved> {
    let json = record::to_json(run).context("cannot encode the record")?;
    let write_all = |folder: &Path| {
        // The record comes first: the reports can be made from it again.
        write_whole(&folder.join(RECORD), &json)?;
        write_whole(&folder.join("report.md"), &report::markdown(run))?;
        let page = report::html_after(run, last().as_ref());
        write_whole(&folder.join("report.html"), &page)
    };
    match fs::create_dir_all(folder).and_then(|()| write_all(folder)) {
        Ok(()) => Ok(Saved {
            folder: folder.to_owned(),
        }),
        Err(why) => {
            let name = folder.file_name().unwrap_or("headcount-run".as_ref());
            let fallback = std::env::temp_dir().join(name);
            say(&format!(
                "warning: cannot save the record in {}: {why}",
                folder.display()
            ));
            let either = format!("cannot save the record in {} either", fallback.display());
            let fallback = create_fresh(&fallback).context(either.clone())?;
            write_all(&fallback).context(either)?;
            say(&format!(
                "hint: the record is saved in {} instead",
                fallback.display()
            ));
            Ok(Saved { folder: fallback })
        }
    }
}

/// Writes another text file into the folder, completely or not at all.
pub(crate) fn save_text(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    write_whole(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes the file completely or not at all, without the credentials of URLs. A partial file, for example on a full
/// disk, never gets the final name.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let text = without_credentials(text);
    let part = path.with_extension("part");
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    if let Err(why) = written {
        let _ = fs::remove_file(&part); // `why` is the error to report
        return Err(why);
    }
    fs::rename(&part, path)
}
