//! `study.json`: what the folder of a study holds, for `headcount study pages`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use model::Verdict;
use serde_json::{Value, json};

use crate::save::save_text;

const FILE: &str = "study.json";
const KIND: &str = "headcount-study";
const VERSION: u64 = 1;

/// A study that was saved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SavedStudy {
    /// Its name, such as `bridge`.
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// The names of its parts. Each part has a folder of this name.
    pub(super) parts: Vec<String>,
}

impl SavedStudy {
    pub(super) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        let text = json!({
            "kind": KIND,
            "version": VERSION,
            "study": self.name,
            "verdict": self.verdict,
            "parts": self.parts,
        });
        save_text(folder, FILE, &format!("{text:#}\n"))
    }

    /// Whether the folder holds a study.
    pub(super) fn is_in(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).with_context(|| {
            format!(
                "cannot read {}: is it the folder of a study?",
                path.display()
            )
        })?;
        let cannot = || format!("cannot use {}", path.display());
        let mut value: Value = serde_json::from_str(&text).with_context(cannot)?;
        if value["kind"] != KIND || value["version"] != VERSION {
            bail!("{}: expected {KIND} of version {VERSION}", path.display());
        }
        Ok(Self {
            name: serde_json::from_value(value["study"].take()).with_context(cannot)?,
            verdict: serde_json::from_value(value["verdict"].take()).with_context(cannot)?,
            parts: serde_json::from_value(value["parts"].take()).with_context(cannot)?,
        })
    }
}
