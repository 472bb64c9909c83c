//! Checks third-party code. The licence must be in the list of `deny.toml`, and the source must be the public registry.
//!
//! `cargo deny` checks the same rules more thoroughly, but must be installed first.

use std::iter::Peekable;

use super::complaint::Complaint;
use super::repository::Repository;

const POLICY: &str = "deny.toml";

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let allowed = allowed(repository.text(POLICY));
    let mut complaints = Vec::new();
    for package in &repository.workspace.foreign {
        let named = format!("`{} {}`", package.name, package.version);
        if !package
            .source
            .as_deref()
            .is_some_and(|source| source.starts_with("registry+"))
        {
            let message =
                format!("{named} does not come from the registry: use a published version");
            complaints.push(Complaint::of_file("Cargo.lock", message));
        }
        complaints.extend(refusal(&named, package.licence.as_deref(), &allowed));
    }
    for package in &repository.workspace.members {
        complaints.extend(refusal(
            &format!("`{}`", package.name),
            package.licence.as_deref(),
            &allowed,
        ));
    }
    complaints
}

fn refusal(named: &str, licence: Option<&str>, allowed: &[&str]) -> Option<Complaint> {
    let licence = licence.unwrap_or("no licence");
    (!is_allowed(licence, allowed)).then(|| {
        let message = format!("{named} is under `{licence}`, which is not allowed here: remove it, or decide to allow the licence");
        Complaint::of_file(POLICY, message)
    })
}

/// Returns the strings in `allow = […]` under `[licenses]`.
fn allowed(policy: &str) -> Vec<&str> {
    let list = policy
        .split("[licenses]")
        .nth(1)
        .and_then(|text| text.split("allow = [").nth(1));
    let list = list
        .and_then(|text| text.split(']').next())
        .unwrap_or_default();
    let lines = list
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    lines
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .collect()
}

/// Whether the licences in an SPDX expression are allowed. The older `/` means `OR`. `AND` binds tighter than `OR`, and
/// `WITH` belongs to the licence before it.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(" WITH ", "\u{a0}WITH\u{a0}");
    let mut words = spaced
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .into_iter()
        .peekable();
    let verdict = any(&mut words, allowed);
    verdict && words.peek().is_none()
}

type Words<'a> = Peekable<std::vec::IntoIter<&'a str>>;

fn any(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut verdict = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        verdict |= all(words, allowed);
    }
    verdict
}

fn all(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut verdict = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        verdict &= one(words, allowed);
    }
    verdict
}

fn one(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    match words.next() {
        Some("(") => any(words, allowed) & words.next_if_eq(&")").is_some(),
        Some(word) => allowed.contains(&word.replace('\u{a0}', " ").as_str()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{allowed, is_allowed};

    #[test]
    fn expressions_mean_what_spdx_says() {
        let table = [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("MIT/GPL-3.0-only", true),
            ("MIT AND ISC", true),
            ("MIT AND GPL-3.0-only", false),
            ("(MIT OR GPL-3.0-only) AND ISC", true),
            ("MIT OR ISC AND GPL-3.0-only", true),
            ("(MIT OR ISC) AND GPL-3.0-only", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("MIT MIT", false),
            ("(MIT", false),
            ("", false),
        ];
        for (expression, expected) in table {
            let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }

    #[test]
    fn the_list_is_read_past_its_comments() {
        let policy =
            "[bans]\nallow = [\"x\"]\n[licenses]\nallow = [\n  \"MIT\", # \"no\"\n  \"ISC\",\n]\n";
        assert_eq!(allowed(policy), ["MIT", "ISC"]);
    }
}
