//! Continues a saved search.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use capacity::search::SavedSearch;
use engine::RunConfig;
use model::without_credentials;
use serde_json::Value;

use super::settings::{budget_s, production};
use crate::args::FindArgs;
use crate::screen::without_hidden;

/// Reads a saved search, and adds the time and the statements about production of the command line. Fails if its trials
/// do not answer the same question as the scenario does now.
pub(super) fn read(
    path: &Path,
    declared: &RunConfig,
    args: &FindArgs,
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
    check(&saved, declared, &args.scenario)?;
    if let Some(more) = &args.range.budget {
        saved.settings.extended_s += budget_s(more)?;
    }
    saved.production = production(&args.range, saved.production)?;
    Ok(saved)
}

/// Fails if the search was another one than that of the command line.
fn check(saved: &SavedSearch, declared: &RunConfig, scenario: &Path) -> anyhow::Result<()> {
    if !is_same_file(Path::new(&saved.scenario), scenario) {
        bail!(
            "--resume: the saved search is of {}, not of {}: start a new one",
            saved.scenario,
            scenario.display()
        );
    }
    if !is_same_target(&saved.target, declared) {
        bail!(
            "--resume: the target of the saved search is {}, not {}: start a new one",
            saved.target,
            declared.target
        );
    }
    let size = declared.options.grouping.size().unwrap_or(1);
    if size != saved.group_size {
        bail!(
            "--resume: the group size of the saved search is {}, not {size}: start a new one",
            saved.group_size
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
    Ok(())
}

/// Whether two paths name the same file. A saved path that leads nowhere was relative to another folder, so only the
/// file names can be compared.
fn is_same_file(saved: &Path, now: &Path) -> bool {
    match (saved.canonicalize(), now.canonicalize()) {
        (Ok(saved), Ok(now)) => saved == now,
        _ => saved.file_name() == now.file_name(),
    }
}

/// Whether the saved target is that of the scenario now. The saved one lacks credentials and other hidden values.
fn is_same_target(saved: &str, declared: &RunConfig) -> bool {
    let given = declared.options_json.get("target").and_then(Value::as_str);
    let mut texts = given.into_iter().chain([declared.target.as_str()]);
    texts.any(|text| {
        without_credentials(&without_hidden(text)) == without_credentials(&without_hidden(saved))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_recognised_from_another_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["api.ts", "other.ts"] {
            fs::write(path(name), "").unwrap();
        }
        assert!(is_same_file(&path("./api.ts"), &path("api.ts")));
        assert!(!is_same_file(&path("other.ts"), &path("api.ts")));
        assert!(is_same_file(Path::new("gone/api.ts"), &path("api.ts")));
        let url = Path::new("bench http://127.0.0.1/");
        assert!(!is_same_file(url, &path("api.ts")));
    }
}
