//! The mistakes that the audit finds in the figures of the five field reports. Beside each form, `NAME.found` lists the
//! mistakes that were found by hand, each with the finding that must show it. `docs/reference/audit.md` lists the
//! mistakes that figures alone cannot show, with the reason.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use audit::{Audit, audit, read, terminal};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../studies")
        .join(name);
    fs::read_to_string(path).unwrap()
}

fn study(name: &str) -> Audit {
    let all = read(&[(name.to_owned(), file(&format!("{name}.toml")))])
        .unwrap_or_else(|why| panic!("{why}"));
    audit(&all[0])
}

fn finds(name: &str, mistakes: usize) {
    let audit = study(name);
    let listed = file(&format!("{name}.found"));
    let lines: Vec<&str> = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(lines.len(), mistakes);
    for line in lines {
        let [_, severity, rule, subject, words] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let found = audit.findings.iter().any(|finding| {
            finding.rule == rule
                && finding.severity.as_str() == severity
                && finding.subject.contains(subject)
                && (finding.arithmetic.contains(words) || finding.what.contains(words))
                && !finding.at.is_empty()
        });
        assert!(found, "not found: {line}\n{}", terminal(&audit, false));
    }
}

#[test]
fn the_bridge() {
    finds("bridge", 12);
}

#[test]
fn the_editor() {
    finds("editor", 17);
}

#[test]
fn the_registry() {
    finds("registry", 17);
}

#[test]
fn the_marketplace() {
    finds("marketplace", 15);
}

#[test]
fn the_transcription() {
    finds("transcription", 14);
}
