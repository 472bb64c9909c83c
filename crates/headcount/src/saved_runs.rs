//! Reads saved runs: single ones, and all runs in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use record::Run;

/// Name of the record in the folder of a run.
pub(crate) const RECORD: &str = "run.json";

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

/// Reads all runs of a set: a `run.json`, the folder of a run, or a folder with several runs.
pub(crate) fn read_runs(path: &Path) -> anyhow::Result<Vec<Run>> {
    if !path.is_dir() || path.join(RECORD).exists() {
        return Ok(vec![read_run(path)?]);
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
    inside.iter().map(|entry| read_run(entry)).collect()
}

/// Whether a file is named like a run of a baseline.
fn is_record(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|ending| ending == "json")
}
