//! Reads saved runs: single ones, and all runs in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use comparison::obstacles;
use record::Run;

/// Name of the record in the folder of a run.
pub(crate) const RECORD: &str = "run.json";
/// Number of folders beside a run that are searched for an earlier one, the newest first.
const NEIGHBOURS: usize = 8;
/// Largest record that is read for this, in bytes. Reading takes time at the end of a run.
const LARGEST_NEIGHBOUR: u64 = 30_000_000;

/// Reads one run: a `run.json`, or the folder of a run.
pub(crate) fn read_run(path: &Path) -> anyhow::Result<Run> {
    let path = if path.is_dir() {
        path.join(RECORD)
    } else {
        path.to_owned()
    };
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    record::from_json(&text).with_context(|| format!("cannot use {}", path.display()))
}

/// Saved runs with the files that they are from.
#[derive(Default)]
pub(crate) struct RunSet {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) runs: Vec<Run>,
}

impl RunSet {
    fn read(files: Vec<PathBuf>) -> anyhow::Result<Self> {
        let runs = files
            .iter()
            .map(|file| read_run(file))
            .collect::<anyhow::Result<_>>()?;
        Ok(Self { files, runs })
    }

    /// Adds the runs of another set.
    pub(crate) fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.runs.extend(other.runs);
    }
}

/// Reads all runs of a set: a `run.json`, the folder of a run, or a folder with several runs.
pub(crate) fn read_runs(path: &Path) -> anyhow::Result<RunSet> {
    if !path.is_dir() || path.join(RECORD).exists() {
        return RunSet::read(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut inside: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    inside.retain(|entry| entry.join(RECORD).exists() || is_record(entry));
    if inside.is_empty() {
        bail!(
            "{} contains no run: expected a run.json, folders with a run.json, or files of a baseline",
            path.display()
        );
    }
    inside.sort();
    RunSet::read(inside)
}

/// Reads the last run of the same script before this one, among the folders beside `folder`. Prefers one whose figures are
/// comparable, and omits those whose script failed. `None` also if the runs there cannot be read, because a report must
/// not fail for them.
pub(crate) fn earlier_run(run: &Run, folder: &Path) -> Option<Run> {
    let own = fs::canonicalize(folder).ok()?;
    let entries = fs::read_dir(own.parent()?).ok()?;
    let record = |path: PathBuf| {
        let path = (path != own).then(|| path.join(RECORD))?;
        let about = path.metadata().ok()?;
        let is_small = about.len() <= LARGEST_NEIGHBOUR;
        is_small.then_some((about.modified().ok()?, path))
    };
    let mut records: Vec<_> = entries
        .filter_map(|entry| record(entry.ok()?.path()))
        .collect();
    records.sort();
    let newest = records.into_iter().rev().take(NEIGHBOURS);
    let mut fallback = None;
    for other in newest.filter_map(|(_, path)| read_run(&path).ok()) {
        let script_failed = other
            .levels
            .iter()
            .any(|level| level.measured.script_failed());
        let is_earlier = other.started_at < run.started_at;
        if script_name(&other) != script_name(run) || !is_earlier || script_failed {
            continue;
        }
        let differs = obstacles(&[&other, run]);
        if differs.iter().all(|one| one.kind.is_about_levels()) {
            return Some(other);
        }
        // The options of a `bench` contain its URL, so another one is another test.
        fallback = fallback.or_else(|| (!run.is_bench()).then_some(other));
    }
    fallback
}

/// The name of the script's file. Its folder depends on where the user ran it from.
fn script_name(run: &Run) -> &str {
    let path = run.script.path.as_str();
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a file is named like a run of a baseline.
fn is_record(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|ending| ending == "json")
}
