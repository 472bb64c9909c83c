//! Finds words that must not appear in the repository, and lines that are too long.

use super::complaint::Complaint;
use super::reach::reached;
use super::repository::Repository;

const COLUMNS: usize = 140;

/// Forbidden words, each with advice. A word is written in two parts, so that this file does not match its own rule.
const FORBIDDEN: &[(&str, Kind, &str)] = &[
    (
        concat!("TO", "DO"),
        Kind::Word,
        "do it, or document the limitation",
    ),
    (
        concat!("FIX", "ME"),
        Kind::Word,
        "fix it, or document the limitation",
    ),
    (concat!("XX", "X"), Kind::Word, "write what is meant"),
    (concat!("dbg", "!"), Kind::Word, "left over from debugging"),
    (
        concat!("/wo", "rk/"),
        Kind::Path,
        "a path of one machine: make it relative",
    ),
    (
        concat!("/tmp/", "hc"),
        Kind::Path,
        "a path of one machine: make it relative",
    ),
    (
        concat!("/ro", "ot/"),
        Kind::Path,
        "a path of one machine: make it relative",
    ),
    (
        concat!("/home", "/"),
        Kind::Path,
        "a path of one machine: make it relative",
    ),
    (concat!("registry.", "npmjs.org"), Kind::Host, LOCK),
    (concat!("registry.", "yarnpkg.com"), Kind::Host, LOCK),
    (concat!("pypi", ".org"), Kind::Host, HOST),
    (concat!("python", "hosted.org"), Kind::Host, HOST),
    (concat!("index.", "crates.io"), Kind::Host, HOST),
    (concat!("static.", "crates.io"), Kind::Host, HOST),
    (concat!("deb.", "debian.org"), Kind::Host, HOST),
    (concat!("archive.", "ubuntu.com"), Kind::Host, HOST),
    (concat!("proxy.", "golang.org"), Kind::Host, HOST),
    (
        concat!("<<<<", "<<< "),
        Kind::LineStart,
        "left over from a merge: resolve it",
    ),
    (
        concat!(">>>>", ">>> "),
        Kind::LineStart,
        "left over from a merge: resolve it",
    ),
    (
        concat!("||||", "||| "),
        Kind::LineStart,
        "left over from a merge: resolve it",
    ),
];

const HOST: &str = "the host of a package registry: leave it to the machine's configuration";
const LOCK: &str = "the host of a package registry: write the lock file with `omit-lockfile-registry-resolved=true` in .npmrc";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A whole word, not a part of a longer one.
    Word,
    /// The start of an absolute path. A relative path such as `crates/…` may have folders of any name.
    Path,
    Host,
    LineStart,
}

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository.texts() {
        for (index, line) in text.lines().enumerate() {
            let found = FORBIDDEN
                .iter()
                .filter(|(word, kind, _)| stands_in(line, word, *kind));
            complaints.extend(found.map(|(word, _, advice)| {
                Complaint::at(path, index + 1, format!("`{}`: {advice}", word.trim_end()))
            }));
        }
    }
    complaints.extend(long_lines(repository));
    complaints
}

/// Reports lines above the limit. Data rows in tests may be longer, because a table is easier to read with one case per
/// line.
fn long_lines(repository: &Repository) -> Vec<Complaint> {
    let reached = reached(repository);
    let mut complaints = Vec::new();
    for (path, source) in &repository.sources {
        let aside = reached.get(path).copied().unwrap_or(false);
        for (index, line) in repository.text(path).lines().enumerate() {
            let columns = line.chars().count();
            let is_test = aside || source.is_test_line(index + 1);
            let is_data = is_test && source.string_lines.contains(&(index + 1));
            if COLUMNS < columns && !is_data {
                let message = format!("{columns} columns (limit {COLUMNS}): break the line");
                complaints.push(Complaint::at(path, index + 1, message));
            }
        }
    }
    complaints
}

fn stands_in(line: &str, word: &str, kind: Kind) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(index, _)| {
        let before = line[..index].chars().next_back();
        let after = line[index + word.len()..].chars().next();
        match kind {
            Kind::Word => !before.is_some_and(is_word) && !after.is_some_and(is_word),
            Kind::Path => !before.is_some_and(|c| {
                is_word(c) || matches!(c, '.' | '-' | '}' | ')' | ']' | '>' | '*')
            }),
            Kind::Host => true,
            Kind::LineStart => index == 0,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Kind, stands_in};

    #[test]
    fn a_word_counts_only_by_itself_and_a_path_only_from_the_root() {
        let (word, path) = (concat!("TO", "DO"), concat!("/wo", "rk/"));
        assert!(stands_in(&format!("// {word}: later"), word, Kind::Word));
        assert!(!stands_in(&format!("MASTO{word}N"), word, Kind::Word));
        assert!(stands_in(&format!("cd {path}main"), path, Kind::Path));
        assert!(!stands_in(&format!("crates{path}src"), path, Kind::Path));
        assert!(!stands_in(&format!("https://host{path}"), path, Kind::Path));
    }
}
