//! A small workspace in a temporary folder. It has no complaints until a test changes it.

#![expect(
    clippy::unwrap_used,
    reason = "clippy sees a test only in the functions marked as one"
)]

use std::fs;

use tempfile::TempDir;
use xtask::Repository;

pub(crate) struct Tree(TempDir);

impl Tree {
    /// The crates `stats` on top of `model`, and a kit.
    pub(crate) fn tidy() -> Self {
        let mut tree = Self(TempDir::new().unwrap());
        let dependencies = "\
[workspace]
resolver = \"3\"
members = [\"crates/*\", \"systems/*\"]

[workspace.dependencies]
# Our own
";
        tree.write("Cargo.toml", dependencies);
        for (folder, name) in [
            ("crates/model", "model"),
            ("crates/stats", "stats"),
            ("systems/kit", "kit"),
        ] {
            tree.package(folder, name, if name == "stats" { &["model"] } else { &[] });
        }
        tree.write("deny.toml", "[licenses]\nallow = [\n  \"MIT\", # ours\n]\n");
        tree
    }

    /// Writes a crate, and the line with which other crates use it.
    pub(crate) fn package(&mut self, folder: &str, name: &str, uses: &[&str]) {
        let uses = uses.iter().fold(String::new(), |text, name| {
            text + name
                + ".workspace = true
"
        });
        let head = format!(
            "[package]\nname = \"{name}\"\ndescription = \"A crate.\"\nlicense = \"MIT\"\n"
        );
        self.write(
            &format!("{folder}/Cargo.toml"),
            &format!("{head}\n[dependencies]\n{uses}"),
        );
        self.write(
            &format!("{folder}/src/lib.rs"),
            "//! One.\n//! Two.\n//! Three.\n\n\n",
        );
        let line = format!("{name} = {{ path = \"{folder}\" }}\n");
        if !self.text("Cargo.toml").contains(&line) {
            self.append("Cargo.toml", &line);
        }
    }

    pub(crate) fn write(&mut self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn append(&mut self, path: &str, text: &str) {
        let text = format!("{}{text}", self.text(path));
        self.write(path, &text);
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).unwrap()
    }

    pub(crate) fn bless(&self) {
        fs::create_dir_all(self.0.path().join("xtask")).unwrap();
        xtask::bless(&self.open()).unwrap();
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        xtask::tidy(&self.open())
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// Asserts that a complaint contains this text.
    #[track_caller]
    pub(crate) fn refused(&self, expected: &str) {
        let complaints = self.complaints();
        let found = complaints
            .iter()
            .any(|complaint| complaint.contains(expected));
        assert!(
            found,
            "no complaint says {expected:?}; there are:\n{}",
            complaints.join("\n")
        );
    }

    fn open(&self) -> Repository {
        Repository::open(self.0.path()).unwrap()
    }
}
