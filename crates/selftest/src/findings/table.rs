//! The results of the check: how often each case got the right finding.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use format::{Column, Row, Table, count};
use harness::Harness;
use serde_json::{Value, json};

use super::case::{Case, Truth};

/// The cause that is named if the machine was too busy for the generator.
const GENERATOR: &str = "generator";

/// The results of all cases.
#[derive(Clone, Debug, Default)]
pub struct FindingsOutcome {
    /// The cases in their order.
    cases: Vec<CaseOutcome>,
    /// The cases that cannot be run on this machine, with the reasons.
    left_out: Vec<(&'static str, String)>,
    /// Whether the check was stopped before the last run ended.
    pub interrupted: bool,
}

/// The results of one case.
#[derive(Clone, Debug)]
struct CaseOutcome {
    case: &'static str,
    kind: &'static str,
    expected: Option<&'static str>,
    runs: u64,
    /// Runs that named the expected cause first, or no cause if none is expected.
    right: u64,
    /// Runs that named another cause first.
    wrong: u64,
    /// Runs in which the generator was the limit, because the machine was too busy.
    disturbed: u64,
    /// How often each cause was named first.
    first: BTreeMap<&'static str, u64>,
}

impl FindingsOutcome {
    /// Notes that a case cannot be run.
    pub(crate) fn leave_out(&mut self, case: &Case, why: String) {
        self.left_out.push((case.name, why));
    }

    /// Adds a run that named these causes, the principal one first.
    pub(crate) fn add(&mut self, case: &Case, harness: &Harness, causes: &[&'static str]) {
        let expected = case.expected(harness);
        let place = self.cases.iter().position(|known| known.case == case.name);
        let place = place.unwrap_or_else(|| {
            self.cases.push(CaseOutcome::new(case, expected));
            self.cases.len() - 1
        });
        let known = &mut self.cases[place];
        let first = causes.first().copied();
        known.runs += 1;
        known.right += u64::from(first == expected);
        let is_disturbed = first == Some(GENERATOR) && first != expected;
        known.disturbed += u64::from(is_disturbed);
        known.wrong += u64::from(first.is_some() && first != expected && !is_disturbed);
        if let Some(first) = first {
            *known.first.entry(first).or_default() += 1;
        }
    }

    /// The number of runs that named a wrong cause first.
    pub fn wrong(&self) -> u64 {
        self.cases.iter().map(|case| case.wrong).sum()
    }

    /// The number of runs with a fault that named no cause.
    pub fn missed(&self) -> u64 {
        let missed = |case: &CaseOutcome| case.runs - case.right - case.wrong - case.disturbed;
        self.cases.iter().map(missed).sum()
    }

    /// The number of runs that show nothing, because the machine was too busy for the generator.
    pub fn disturbed(&self) -> u64 {
        self.cases.iter().map(|case| case.disturbed).sum()
    }

    /// Formats the results for a terminal.
    pub fn terminal(&self) -> String {
        let runs: u64 = self.cases.iter().map(|case| case.runs).sum();
        let mut text = format!(
            "{} runs: {} named a wrong cause, {} named none although there was one, {} were disturbed.\n\n",
            count(runs),
            count(self.wrong()),
            count(self.missed()),
            count(self.disturbed())
        );
        for line in self.table().text(false) {
            let _ = writeln!(text, "{line}");
        }
        for (case, why) in &self.left_out {
            let _ = writeln!(text, "\nnot run: {case}: {why}");
        }
        text
    }

    fn table(&self) -> Table {
        let columns = vec![
            Column::words("case"),
            Column::words("kind"),
            Column::words("expected"),
            Column::number("runs"),
            Column::number("right"),
            Column::words("named first"),
        ];
        let rows = self.cases.iter().map(|case| {
            let first: Vec<String> = case
                .first
                .iter()
                .map(|(cause, times)| format!("{cause} ({times})"))
                .collect();
            Row::plain(vec![
                Some(case.case.to_owned()),
                Some(case.kind.to_owned()),
                Some(case.expected.unwrap_or("none").to_owned()),
                Some(count(case.runs)),
                Some(count(case.right)),
                Some(first.join(", ")).filter(|first| !first.is_empty()),
            ])
        });
        Table::new(columns, rows.collect())
    }

    /// Returns the results as JSON, for scripts.
    pub fn to_json(&self) -> Value {
        let cases = self.cases.iter().map(|case| {
            json!({
                "case": case.case, "kind": case.kind, "expected": case.expected, "runs": case.runs,
                "right": case.right, "wrong": case.wrong, "disturbed": case.disturbed,
                "first": case.first,
            })
        });
        let left_out = self.left_out.iter();
        let left_out = left_out.map(|(case, why)| json!({ "case": case, "because": why }));
        json!({
            "interrupted": self.interrupted, "cases": cases.collect::<Vec<_>>(),
            "left_out": left_out.collect::<Vec<_>>(),
        })
    }
}

impl CaseOutcome {
    fn new(case: &Case, expected: Option<&'static str>) -> Self {
        Self {
            case: case.name,
            kind: match case.truth {
                Truth::Fault(_) | Truth::Threads(_) | Truth::Turns => "fault",
                Truth::Healthy => "healthy",
                Truth::NearMiss => "near miss",
            },
            expected,
            runs: 0,
            right: 0,
            wrong: 0,
            disturbed: 0,
            first: BTreeMap::new(),
        }
    }
}
