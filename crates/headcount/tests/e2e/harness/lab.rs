use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::machine::Place;
use super::program::{Ended, Program};

/// A temporary folder for scenarios and runs, and a place on this machine.
#[derive(Debug)]
pub(crate) struct Lab {
    folder: TempDir,
    _place: Place,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self::at(Place::beside())
    }

    /// A lab for a test that needs regular times. While it exists, no other test has one.
    pub(crate) fn alone() -> Self {
        Self::at(Place::alone())
    }

    fn at(place: Place) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            _place: place,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a scenario.
    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    /// Writes the scenario `once.ts`, in which one user runs `body` once. `options` are further options.
    pub(crate) fn once(options: &str, body: &str) -> Self {
        let text = format!(
            r#"import type {{ Failure, Group, Options }} from "headcount";
export const options: Options = {{ load: {{ users: 1, once: true }}, {options} }};
export default async function once({{ users, check, eventually }}: Group) {{
  const user = users[0]!;
{body}
}}
"#
        );
        Self::new().with("once.ts", &text)
    }

    pub(crate) fn start(&self, args: &[&str]) -> Program {
        Program::headcount(self.folder.path(), args)
    }

    /// Runs `headcount` with these arguments and waits for its end.
    pub(crate) fn headcount(&self, args: &[&str]) -> Ended {
        self.start(args).end()
    }

    /// Runs `headcount run --quiet` with the output folder `run`, and waits for its end.
    pub(crate) fn run(&self, scenario: &str, target: &str, more: &[&str]) -> Ended {
        self.start_run(scenario, target, more).end()
    }

    pub(crate) fn start_run(&self, scenario: &str, target: &str, more: &[&str]) -> Program {
        let mut args = vec![
            "run", scenario, "--target", target, "--out", "run", "--quiet",
        ];
        args.extend(more);
        self.start(&args)
    }

    /// Runs one level. Returns it as `--json` reports it.
    pub(crate) fn level(&self, scenario: &str, target: &str, more: &[&str]) -> Value {
        let mut args = vec!["--json"];
        args.extend(more);
        let mut summary = self.run(scenario, target, &args).summary();
        let levels = summary["levels"].as_array_mut().unwrap();
        assert_eq!(levels.len(), 1);
        levels.remove(0)
    }

    /// Reads the record that the run has written.
    pub(crate) fn record(&self) -> Value {
        read_json(&self.path("run/run.json"))
    }

    /// Returns the failures of the record's only level.
    pub(crate) fn failures(&self) -> Vec<Value> {
        let record = self.record();
        record["levels"][0]["measured"]["failures"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// Returns the failure with this side, kind and name.
    pub(crate) fn failure(&self, side: &str, kind: &str, what: &str) -> Value {
        let all = self.failures();
        let fits = |failure: &&Value| {
            failure["side"] == side && failure["kind"] == kind && failure["what"] == what
        };
        let found = all.iter().find(fits);
        found
            .unwrap_or_else(|| panic!("no {side}/{kind}/{what} in {all:#?}"))
            .clone()
    }
}

/// The folder of example scenarios.
pub(crate) fn scenarios() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"))
}

fn read_json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&text).unwrap()
}
