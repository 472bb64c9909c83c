//! Finds retired words, and code that uses text for people as data.
//!
//! GLOSSARY.md lists the current words.
//!
//! `record` stores closed sets of causes as enums with figures, and `report` turns them into sentences. No code may
//! compare, search or split such a sentence.

use super::complaint::Complaint;
use super::path::has_extension;
use super::reach::reached;
use super::repository::Repository;

/// Retired words, each with its replacement. A word is written in two parts, so that this file does not match its own
/// rule.
const RETIRED: [(&str, &str); 12] = [
    (concat!("stra", "yed"), "misdelivered"),
    (concat!("exch", "ange"), "round trip"),
    (concat!("exch", "anges"), "round trips"),
    (concat!("not so", "und"), "invalid, or inconclusive"),
    (concat!("uns", "ound"), "invalid, or inconclusive"),
    (concat!("sound", "ly"), "validly"),
    (concat!("susp", "ect"), "questionable"),
    (concat!("on its ", "way"), "in flight"),
    (concat!("set-", "up"), "setup"),
    (concat!("tear-", "down"), "teardown"),
    (concat!("hold", "_s"), "duration_s"),
    (concat!("--", "hold"), "--duration"),
];

/// Documents and type definitions that users read.
const DOCUMENTS: [&str; 4] = [
    "README.md",
    "docs/",
    "crates/script/types/",
    "studies/README.md",
];

/// Crates whose results are data, and whose code must not contain sentences.
const WITHOUT_SENTENCES: [&str; 2] = ["crates/record/src/", "crates/capacity/src/"];
/// Exempt from [`WITHOUT_SENTENCES`]: the upgrade translates sentences in older records.
const SENTENCES_ALLOWED: [&str; 1] = ["crates/record/src/upgrade.rs"];

/// Crates that create, forward or render text for people, and must not compare it. `audit` is not listed, because it
/// reads text that other tools printed.
const WITHOUT_COMPARISONS: [&str; 8] = [
    "crates/record/src/",
    "crates/capacity/src/",
    "crates/delivery/src/",
    "crates/engine/src/",
    "crates/report/src/",
    "crates/study/src/",
    "crates/harness/src/part.rs",
    "crates/stats/src/",
];
const COMPARING: [&str; 8] = [
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "find",
    "replace",
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = retired(repository);
    complaints.extend(text_as_data(repository));
    complaints
}

fn retired(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts() {
        let is_document = DOCUMENTS.iter().any(|document| path.starts_with(document));
        if !is_document || !has_extension(path, &["md", "ts"]) {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            let words = without_code(line);
            let found = RETIRED.iter().filter(|(word, _)| has_word(&words, word));
            complaints.extend(found.map(|(word, instead)| {
                Complaint::at(
                    path,
                    index + 1,
                    format!("`{word}` is retired: write `{instead}`"),
                )
            }));
        }
    }
    complaints
}

/// Removes code spans, because an identifier in backticks may belong to a system or another tool.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

fn has_word(line: &str, word: &str) -> bool {
    let line = line.to_lowercase();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    line.match_indices(word).any(|(index, _)| {
        let before = line[..index].chars().next_back();
        let after = line[index + word.len()..].chars().next();
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

fn text_as_data(repository: &Repository) -> Vec<Complaint> {
    let reached = reached(repository);
    let mut complaints = Vec::new();
    for (path, source) in &repository.sources {
        if reached.get(path).copied().unwrap_or(false) {
            continue;
        }
        let starts = |folder: &&str| path.starts_with(*folder);
        let plain = WITHOUT_SENTENCES.iter().any(&starts);
        let plain = plain && !SENTENCES_ALLOWED.contains(&path.as_str());
        let compares = WITHOUT_COMPARISONS.iter().any(&starts);
        let lines = repository.text(path).lines().enumerate();
        for (index, line) in lines.filter(|(index, _)| !source.is_test_line(index + 1)) {
            if plain && source.string_lines.contains(&(index + 1)) && is_sentence(line) {
                let message = "a sentence in data: use an identifier with figures, and put the words into `report::words`";
                complaints.push(Complaint::at(path, index + 1, message));
            }
            if compares && compares_text(line) {
                let message =
                    "compares text that was written for people: compare an identifier instead";
                complaints.push(Complaint::at(path, index + 1, message));
            }
        }
    }
    complaints
}

/// Whether the line contains a string of three words or more. Comments, attributes, calls of `expect`, and lines that
/// start with a string are exempt.
fn is_sentence(line: &str) -> bool {
    let line = line.trim_start();
    let exempt = ["//", "#[", "reason =", "\""]
        .iter()
        .any(|start| line.starts_with(start));
    !exempt
        && !line.contains("expect(")
        && literals(line).any(|text| text.split_whitespace().count() > 2)
}

/// Whether the line calls a comparing method with a literal that contains a space.
fn compares_text(line: &str) -> bool {
    let line = line.trim_start();
    COMPARING.iter().any(|call| {
        let call = format!(".{call}(\"");
        let at = line.find(&call).map(|at| at + call.len());
        let rest = at.map(|at| &line[at..]).unwrap_or_default();
        let literal = rest.split('"').next().unwrap_or_default();
        literal.trim().contains(' ')
    })
}

/// Returns the texts between quotation marks.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retired_word_counts_by_itself_and_not_as_code() {
        let word = RETIRED[0].0;
        assert!(has_word(&format!("3 were {word}."), word));
        assert!(!has_word(&without_code(&format!("the key `{word}`")), word));
        assert!(!has_word(&format!("a{word}b"), word));
    }

    #[test]
    fn sentences_and_comparisons_with_them_are_noticed() {
        assert!(is_sentence(r#"let text = "no user was free";"#));
        assert!(!is_sentence(r#"#[error("no user was free")]"#));
        assert!(!is_sentence(r#"json!({ "cause": "no_data" })"#));
        assert!(compares_text(r#"if text.contains("was free") {"#));
        assert!(!compares_text(r#"if url.contains("://") {"#));
    }
}
