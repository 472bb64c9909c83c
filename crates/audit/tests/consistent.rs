//! Simulates runs and reports them in the styles of people and tools, with true claims. No report is ever called
//! impossible. Then one figure of a report is changed by more than its rounding. The rule for this figure finds the
//! change in at least 80 % of the reports.
//!
//! `AUDIT_REPORTS=100000 cargo test -p audit --test consistent -- --nocapture` tries more reports, `AUDIT_SEED=…`
//! others.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

#[path = "consistent/claims.rs"]
mod claims;
#[path = "common/mod.rs"]
mod common;
#[path = "consistent/lies.rs"]
mod lies;
#[path = "consistent/page.rs"]
mod page;
#[path = "consistent/style.rs"]
mod style;
#[path = "consistent/world.rs"]
mod world;

use std::collections::BTreeMap;

use audit::{Audit, RULES, Severity, audit, read_form, terminal};
use page::Page;
use style::Style;
use world::Dice;

/// Number of reports in an ordinary test run.
const REPORTS: u64 = 4000;

fn asked(name: &str, ordinary: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(ordinary)
}

/// Returns the report of a seed with its style.
fn report(seed: u64) -> (Page, Style, Dice) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
    for _ in 0..8 {
        dice.part();
    }
    let world = world::world(&mut dice);
    let style = Style::any(&mut dice);
    let mut page = page::page(&world, style, &mut dice);
    claims::add(&mut page, style, &mut dice);
    (page, style, dice)
}

fn audited(page: &Page, seed: u64) -> Audit {
    let text = page.text();
    let results = read_form(&text, "report");
    audit(&results.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}")))
}

#[test]
fn a_consistent_report_is_never_called_impossible() {
    let (count, first) = (asked("AUDIT_REPORTS", REPORTS), asked("AUDIT_SEED", 1));
    let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut example = String::new();
    for seed in first..first + count {
        let (page, ..) = report(seed);
        let audit = audited(&page, seed);
        for (rule, times) in &audit.checked {
            *checked.entry(rule).or_default() += usize::from(*times > 0);
        }
        for claim in &page.claims {
            *kinds.entry(claim.entries[0].1.clone()).or_default() += 1;
        }
        for finding in &audit.findings {
            if finding.severity == Severity::Impossible {
                wrong.entry(finding.rule).or_default().push(seed);
                if example.is_empty() {
                    example = format!("seed {seed}\n{}\n{}", page.text(), terminal(&audit, false));
                }
            }
        }
    }
    println!(
        "{count} reports from seed {first}; with figures to check: {checked:?}; claims: {kinds:?}"
    );
    let few: Vec<_> = wrong
        .iter()
        .map(|(rule, seeds)| (rule, seeds.len(), seeds[0]))
        .collect();
    assert!(
        few.is_empty(),
        "rule, how often, first seed: {few:?}\n{example}"
    );
    // The reports contain every kind of claim, and figures for every rule that can call a report impossible.
    assert_eq!(kinds.len(), audit::Kind::ALL.len(), "{kinds:?}");
    for rule in lies::IMPOSSIBLE {
        assert!(RULES.iter().any(|known| known.name == rule), "{rule}");
        let times = checked.get(rule).copied().unwrap_or(0);
        assert!(
            times as u64 * 100 > count,
            "{rule} had figures to check in {times} of {count}"
        );
    }
}

#[test]
fn one_wrong_figure_is_found() {
    const EACH: usize = 150;
    let first = asked("AUDIT_SEED", 1);
    for lie in lies::LIES {
        let (mut told, mut found, mut tried) = (0, 0, 0);
        let mut missed = String::new();
        for seed in first.. {
            let (mut page, style, mut dice) = report(seed);
            tried += 1;
            assert!(
                tried < 60_000,
                "{}: only {told} reports have what it takes",
                lie.rule
            );
            if (lie.tell)(&mut page, style, &mut dice).is_none() {
                continue;
            }
            let audit = audited(&page, seed);
            let by_rule = audit.findings.iter().filter(|one| one.rule == lie.rule);
            let worst = by_rule.map(|one| one.severity).max();
            told += 1;
            found += usize::from(worst >= Some(lie.at_least));
            if worst < Some(lie.at_least) && missed.is_empty() {
                missed = format!("seed {seed}\n{}\n{}", page.text(), terminal(&audit, false));
            }
            if told == EACH {
                break;
            }
        }
        println!("{}, {}: {found} of {told} found", lie.rule, lie.what);
        let most = 100 * found >= lie.percent * told;
        assert!(
            most,
            "{}, {}: {found} of {told} found\n{missed}",
            lie.rule, lie.what
        );
    }
}
