//! Finds operations that are allowed only in a few places: reading the clock, printing, ending the process, and reading
//! the environment.

use std::collections::BTreeMap;

use super::complaint::Complaint;
use super::reach::reached;
use super::repository::Repository;

struct Rule {
    /// The sequence of tokens to find. `::` is two tokens.
    tokens: &'static [&'static str],
    /// Prefixes of the paths where the tokens are allowed. If empty, the tokens are not allowed anywhere.
    only_in: &'static [&'static str],
    /// Whether tests, examples and benches may use the tokens.
    tests_may: bool,
    advice: &'static str,
}

const CLOCK: &[&str] = &["crates/engine/src/clock.rs", "systems/"];
const TALKERS: &[&str] = &["crates/headcount/", "xtask/"];
const ENVIRONMENT: &[&str] = &["crates/headcount/", "systems/", "xtask/"];
const ONE_CLOCK: &str = "only crates/engine/src/clock.rs reads the clock: pass the time in";
const NO_PRINT: &str = "only crates/headcount prints: return text or an error";
const NO_ENVIRONMENT: &str = "only crates/headcount reads the environment: pass the value in";

const RULES: &[Rule] = &[
    Rule {
        tokens: &["unsafe"],
        only_in: &[],
        tests_may: false,
        advice: "no unsafe code here: use a crate that wraps it",
    },
    Rule {
        tokens: &["dbg", "!"],
        only_in: &[],
        tests_may: false,
        advice: "left over from debugging: delete it",
    },
    Rule {
        tokens: &["todo", "!"],
        only_in: &[],
        tests_may: false,
        advice: "not implemented: implement it or remove it",
    },
    Rule {
        tokens: &["unimplemented", "!"],
        only_in: &[],
        tests_may: false,
        advice: "not implemented: implement it or remove it",
    },
    Rule {
        tokens: &["Instant", ":", ":", "now"],
        only_in: CLOCK,
        tests_may: true,
        advice: ONE_CLOCK,
    },
    Rule {
        tokens: &["SystemTime", ":", ":", "now"],
        only_in: CLOCK,
        tests_may: true,
        advice: ONE_CLOCK,
    },
    Rule {
        tokens: &["Timestamp", ":", ":", "now"],
        only_in: CLOCK,
        tests_may: true,
        advice: ONE_CLOCK,
    },
    Rule {
        tokens: &["Zoned", ":", ":", "now"],
        only_in: CLOCK,
        tests_may: true,
        advice: ONE_CLOCK,
    },
    Rule {
        tokens: &["print", "!"],
        only_in: TALKERS,
        tests_may: true,
        advice: NO_PRINT,
    },
    Rule {
        tokens: &["println", "!"],
        only_in: TALKERS,
        tests_may: true,
        advice: NO_PRINT,
    },
    Rule {
        tokens: &["eprint", "!"],
        only_in: TALKERS,
        tests_may: true,
        advice: NO_PRINT,
    },
    Rule {
        tokens: &["eprintln", "!"],
        only_in: TALKERS,
        tests_may: true,
        advice: NO_PRINT,
    },
    Rule {
        tokens: &["process", ":", ":", "exit"],
        only_in: TALKERS,
        tests_may: true,
        advice: "only crates/headcount ends the process: return an error",
    },
    Rule {
        tokens: &["env", ":", ":", "var"],
        only_in: ENVIRONMENT,
        tests_may: true,
        advice: NO_ENVIRONMENT,
    },
    Rule {
        tokens: &["env", ":", ":", "var_os"],
        only_in: ENVIRONMENT,
        tests_may: true,
        advice: NO_ENVIRONMENT,
    },
    Rule {
        tokens: &["env", ":", ":", "vars"],
        only_in: ENVIRONMENT,
        tests_may: true,
        advice: NO_ENVIRONMENT,
    },
    Rule {
        tokens: &["env", ":", ":", "args"],
        only_in: ENVIRONMENT,
        tests_may: true,
        advice: NO_ENVIRONMENT,
    },
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let reached = reached(repository);
    RULES
        .iter()
        .flat_map(|rule| breaches(repository, rule, &reached))
        .collect()
}

fn breaches(
    repository: &Repository,
    rule: &Rule,
    reached: &BTreeMap<String, bool>,
) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, source) in &repository.sources {
        let aside = reached.get(path).copied().unwrap_or(false);
        if rule.only_in.iter().any(|prefix| path.starts_with(prefix)) || is_system_main(rule, path)
        {
            continue;
        }
        let excused = |line: &usize| rule.tests_may && (aside || source.is_test_line(*line));
        let lines = source.lines_of(rule.tokens).filter(|line| !excused(line));
        let name = rule.tokens.concat();
        complaints.extend(
            lines.map(|line| Complaint::at(path, line, format!("`{name}`: {}", rule.advice))),
        );
    }
    complaints
}

/// Whether the rule is about printing and the file is a system's `main.rs`. This file may print the system's address
/// and errors.
fn is_system_main(rule: &Rule, path: &str) -> bool {
    rule.only_in == TALKERS && path.starts_with("systems/") && path.ends_with("/src/main.rs")
}
