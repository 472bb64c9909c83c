//! Properties of all rules: the reference contains each in its own words, and each reports the checks that it could not
//! make.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use audit::{NEW_FORM, RULES, audit, read, terminal};

fn crate_file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_reference_lists_every_rule_in_its_own_words() {
    let reference = crate_file("../../docs/reference/audit.md");
    for rule in RULES {
        let row = format!("| `{}` | {} |", rule.name, rule.says);
        assert!(reference.contains(&row), "not in the reference: {row}");
    }
    let listed = reference.lines().filter(|line| line.starts_with("| `"));
    let listed = listed.filter(|line| RULES.iter().any(|rule| line.contains(rule.name)));
    assert_eq!(listed.count(), RULES.len());
}

#[test]
fn a_rule_that_checked_nothing_says_what_it_lacks() {
    let studies = [
        "bridge",
        "editor",
        "registry",
        "marketplace",
        "transcription",
    ];
    let mut texts: Vec<String> = studies
        .iter()
        .map(|name| crate_file(&format!("../../studies/{name}.toml")))
        .collect();
    let fixtures = [
        "oha-1.16.0-healthy.txt",
        "jmeter-5.6.3-healthy.csv",
        "k6-1.8.1-handle-summary-healthy.json",
    ];
    texts.extend(fixtures.map(|name| crate_file(&format!("tests/fixtures/{name}"))));
    texts.push(NEW_FORM.to_owned());
    for text in texts {
        let audit = audit(&read(&[("it".to_owned(), text)]).unwrap()[0]);
        assert_eq!(audit.checked.len(), RULES.len());
        for (rule, times) in &audit.checked {
            let told = audit.unchecked.iter().any(|one| one.rule == *rule)
                || audit.findings.iter().any(|one| one.rule == *rule);
            assert!(
                *times > 0 || told,
                "{rule} is silent about {}",
                audit.source
            );
        }
    }
}

/// A claim with the required keys, about levels with only users, leads to a finding or an unchecked entry.
#[test]
fn no_claim_passes_in_silence() {
    let levels = "[[level]]\nname = \"a\"\nusers = 10\n[[level]]\nname = \"b\"\nusers = 20\n";
    let keys = "of = \"mean\"\non = \"rate\"\nlevels = [\"a\", \"b\"]\nusers = 20\nlimit = \"5ms\"\nvalue = \"5ms\"\n";
    for (kind, _) in audit::Kind::ALL {
        // This kind is only compared with claims of another kind.
        if kind == "saturated" {
            continue;
        }
        let text = format!("{levels}[[claim]]\nkind = \"{kind}\"\ntext = \"told\"\n{keys}");
        let audit = audit(&read(&[("it".to_owned(), text)]).unwrap()[0]);
        let found = audit.findings.iter().any(|one| one.subject == "told");
        let lacks = |one: &audit::Unchecked| {
            one.subjects
                .iter()
                .any(|subject| subject == "told" || subject == "a")
        };
        let missed = audit.unchecked.iter().any(lacks);
        assert!(found || missed, "{kind}: {audit:#?}");
    }
}

#[test]
fn what_was_not_checked_is_told_in_lines_that_fit_a_terminal() {
    let audit = audit(&read(&[("it".to_owned(), NEW_FORM.to_owned())]).unwrap()[0]);
    let text = terminal(&audit, false);
    let (_, rest) = text.split_once("\n  not checked: ").unwrap();
    let longest = rest.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(100), "{text}");
    for one in &audit.unchecked {
        assert!(text.contains(one.rule), "{}: {text}", one.rule);
    }
}
