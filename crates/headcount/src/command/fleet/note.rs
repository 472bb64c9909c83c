//! The note in the folder of a run on a fleet, which names the run on the NATS server. With it, the run can be resumed.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use crate::folder::FLEET_NOTE;
use crate::save::save_text;

const KIND: &str = "headcount-fleet-run";

/// The names of the run, the oldest first. A run that was resumed has several.
pub(crate) fn read(folder: &Path) -> anyhow::Result<Vec<String>> {
    let path = folder.join(FLEET_NOTE);
    let place = path.display();
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {place}"))?;
    let note: Value = serde_json::from_str(&text).with_context(|| format!("{place} is damaged"))?;
    if note["kind"] != KIND {
        bail!("{place} is not the note of a run on a fleet");
    }
    let runs = note["runs"].as_array().into_iter().flatten();
    Ok(runs.filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Adds a name of the run.
pub(super) fn add(folder: &Path, run: &str) -> anyhow::Result<()> {
    let mut runs = if folder.join(FLEET_NOTE).exists() {
        read(folder)?
    } else {
        Vec::new()
    };
    runs.push(run.to_owned());
    save_text(
        folder,
        FLEET_NOTE,
        &json!({ "kind": KIND, "runs": runs }).to_string(),
    )
}

pub(super) fn remove(folder: &Path) {
    let _ = fs::remove_file(folder.join(FLEET_NOTE)); // without the messages, it is of no use
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_resumed_has_several_names() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).is_err());
        add(folder.path(), "first").unwrap();
        add(folder.path(), "second").unwrap();
        assert_eq!(read(folder.path()).unwrap(), ["first", "second"]);
        remove(folder.path());
        assert!(read(folder.path()).is_err());
    }
}
