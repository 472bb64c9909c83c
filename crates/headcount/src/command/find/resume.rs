//! Continues a saved search.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use capacity::search::SavedSearch;
use engine::RunConfig;

use super::settings::budget_s;
use crate::args::SearchArgs;

/// Reads a saved search. Fails if its trials do not answer the same question as the scenario does now.
pub(super) fn read(
    path: &Path,
    declared: &RunConfig,
    range: &SearchArgs,
) -> anyhow::Result<SavedSearch> {
    let place = path.display();
    let text =
        fs::read_to_string(path).with_context(|| format!("--resume: cannot read {place}"))?;
    let mut saved: SavedSearch = serde_json::from_str(&text)
        .with_context(|| format!("--resume: {place} is not a saved search"))?;
    if saved.kind != SavedSearch::KIND || saved.version != SavedSearch::VERSION {
        bail!(
            "--resume: {place} has the format {} {}, but this version reads {} {}",
            saved.kind,
            saved.version,
            SavedSearch::KIND,
            SavedSearch::VERSION
        );
    }
    let thresholds = declared.options.thresholds.iter();
    let thresholds: Vec<String> = thresholds.map(ToString::to_string).collect();
    let same = if saved.default_thresholds {
        thresholds.is_empty()
    } else {
        thresholds == saved.thresholds
    };
    if !same {
        bail!("--resume: the thresholds have changed since the search was saved: start a new one");
    }
    if let Some(more) = &range.budget {
        saved.settings.extended_s += budget_s(more)?;
    }
    Ok(saved)
}
