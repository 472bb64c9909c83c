//! The repository as the checks see it: its files with their text, and the metadata from cargo.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::OpenError;
use super::metadata::{self, Workspace};
use super::path::has_extension;
use super::rust::Source;

/// Generated folders, which are skipped if git cannot list the files.
const GENERATED: &[&str] = &[".git", "target", "node_modules", ".venv", "__pycache__"];

/// A snapshot of the repository, read once.
#[derive(Debug)]
pub struct Repository {
    pub(crate) root: PathBuf,
    /// Every file that git tracks or does not ignore, keyed by its path relative to the root. The value is the file's
    /// text, or `None` if the file is not UTF-8.
    pub files: BTreeMap<String, Option<String>>,
    pub(crate) workspace: Workspace,
    /// Rust files that could be parsed, keyed by path.
    pub(crate) sources: BTreeMap<String, Source>,
    /// Rust files that could not be parsed, keyed by path. The value is the line and the reason.
    pub(crate) unparsed: BTreeMap<String, (usize, String)>,
}

impl Repository {
    /// Reads all files under `root`.
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let root = root.canonicalize().map_err(|source| OpenError::File {
            path: root.to_owned(),
            source,
        })?;
        let mut files = BTreeMap::new();
        for path in tracked(&root).map_or_else(|| walked(&root), Ok)? {
            let bytes = fs::read(root.join(&path)).map_err(|source| OpenError::File {
                path: root.join(&path),
                source,
            })?;
            files.insert(path, String::from_utf8(bytes).ok());
        }
        let workspace = metadata::read(&root)?;
        let (mut sources, mut unparsed) = (BTreeMap::new(), BTreeMap::new());
        for (path, text) in &files {
            let Some(text) = text.as_deref().filter(|_| has_extension(path, &["rs"])) else {
                continue;
            };
            match Source::parse(text) {
                Ok(source) => drop(sources.insert(path.clone(), source)),
                Err(error) => drop(unparsed.insert(path.clone(), error)),
            }
        }
        Ok(Self {
            root,
            files,
            workspace,
            sources,
            unparsed,
        })
    }

    /// Returns the text of a file. Empty if the file does not exist or is not UTF-8.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.files
            .get(path)
            .and_then(Option::as_deref)
            .unwrap_or_default()
    }

    /// Returns the path and text of each text file.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// Whether the path is a file, or a folder that contains files.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty()
            || self.files.contains_key(path)
            || self
                .files
                .range(folder.clone()..)
                .next()
                .is_some_and(|(file, _)| file.starts_with(&folder))
    }
}

/// Lists the files that git tracks or does not ignore. `None` if `root` is not the root of a git work tree.
fn tracked(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let list = String::from_utf8(output.stdout).ok()?;
    let there = |path: &&str| root.join(path).is_file();
    Some(
        list.split_terminator('\0')
            .filter(there)
            .map(str::to_owned)
            .collect(),
    )
}

/// Lists all files below the root that are not generated. Used if git cannot list the files.
fn walked(root: &Path) -> Result<Vec<String>, OpenError> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| OpenError::File {
            path: folder.clone(),
            source,
        };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if path.is_dir() && !GENERATED.contains(&name) && !name.starts_with("headcount-run-") {
                folders.push(path);
            } else if path.is_file() {
                found.extend(
                    path.strip_prefix(root)
                        .ok()
                        .and_then(Path::to_str)
                        .map(str::to_owned),
                );
            }
        }
    }
    Ok(found)
}
