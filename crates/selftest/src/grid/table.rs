use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use format::{Column, count, part};
use serde_json::{Value, json};

use super::cell::Cell;
use super::judge::{Judged, Outcome};
use super::program::folder_of;

/// The results of all cells.
#[derive(Clone, Debug, Default)]
pub struct GridOutcome {
    seed: u64,
    by_kind: BTreeMap<&'static str, Counts>,
    by_fault: BTreeMap<&'static str, Counts>,
    all: Counts,
    /// The wrong cells, each with its name and its wrong statements.
    wrong: Vec<(String, Vec<String>)>,
    /// Examples of inconclusive statements, each with the name of its cell.
    inconclusive: Vec<(String, String)>,
    /// Whether the grid was stopped before the last cell ended.
    pub interrupted: bool,
}

/// The number of cells, and the number of statements with each judgement.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    cells: usize,
    wrong_cells: usize,
    right: usize,
    wrong: usize,
    disturbed: usize,
    inconclusive: usize,
    undecided: usize,
}

/// Maximum number of inconclusive statements that are listed.
const NAMED: usize = 40;

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        let wrong = outcome.count(Judged::Wrong);
        self.cells += 1;
        self.wrong_cells += usize::from(wrong > 0);
        self.wrong += wrong;
        self.right += outcome.count(Judged::Right);
        self.disturbed += outcome.count(Judged::Disturbed);
        self.inconclusive += outcome.count(Judged::Inconclusive);
        self.undecided += outcome.count(Judged::Undecided);
    }

    /// Returns the number of statements whose truth is known.
    fn decided(&self) -> usize {
        self.right + self.wrong + self.disturbed + self.inconclusive
    }

    fn to_json(self) -> Value {
        json!({
            "cells": self.cells, "wrong_cells": self.wrong_cells, "decided": self.decided(), "right": self.right,
            "wrong": self.wrong, "disturbed": self.disturbed, "inconclusive": self.inconclusive,
            "undecided": self.undecided,
        })
    }
}

impl GridOutcome {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, cell: &Cell, played: io::Result<Outcome>, folder: &Path) {
        let outcome = match played {
            Ok(outcome) => outcome,
            Err(why) => Outcome::unplayed(&why),
        };
        let name = cell.name();
        for counts in [
            self.by_kind.entry(cell.kind.name).or_default(),
            self.by_fault.entry(cell.fault.name()).or_default(),
            &mut self.all,
        ] {
            counts.add(&outcome);
        }
        let of = |wanted| {
            let fitting = outcome
                .statements
                .iter()
                .filter(move |one| one.result == wanted);
            fitting.map(|one| one.text.clone())
        };
        for text in of(Judged::Inconclusive) {
            if self.inconclusive.len() < NAMED {
                self.inconclusive.push((name.clone(), text));
            }
        }
        let wrong: Vec<String> = of(Judged::Wrong).collect();
        if !wrong.is_empty() {
            let folder = folder_of(folder, cell);
            let shown = format!("{name}  ({})", folder.display());
            self.wrong.push((shown, wrong));
        }
    }

    /// Returns the number of cells with a wrong statement.
    pub fn wrong_cells(&self) -> usize {
        self.all.wrong_cells
    }

    /// Returns the number of cells that were run.
    pub fn cells(&self) -> usize {
        self.all.cells
    }

    /// Formats the results for a terminal.
    pub fn terminal(&self) -> String {
        let all = self.all;
        let mut text = format!(
            "{} cells, seed {}: {} wrong. Of {} statements with a known truth, {} were inconclusive: {} because of \
             disturbed measurements, {} for other reasons ({:.1} %).\n",
            all.cells,
            self.seed,
            all.wrong_cells,
            all.decided(),
            all.disturbed + all.inconclusive,
            all.disturbed,
            all.inconclusive,
            share(all.inconclusive, all.decided()),
        );
        for (title, counts) in [
            ("scenario", &self.by_kind),
            ("misbehaviour", &self.by_fault),
        ] {
            text.push('\n');
            for line in table(title, counts).text(false) {
                let _ = writeln!(text, "{line}");
            }
        }
        if !self.inconclusive.is_empty() {
            let _ = writeln!(text, "\nInconclusive for other reasons, the first {NAMED}:");
        }
        for (name, what) in &self.inconclusive {
            let _ = writeln!(text, "  {name}: {what}");
        }
        for (name, statements) in &self.wrong {
            let _ = writeln!(text, "\nWRONG {name}");
            for statement in statements {
                let _ = writeln!(text, "  {statement}");
            }
        }
        text
    }

    /// Returns the results as JSON, for scripts.
    pub fn to_json(&self) -> Value {
        let table = |counts: &BTreeMap<&'static str, Counts>| {
            let entries = counts.iter();
            Value::Object(
                entries
                    .map(|(name, counts)| ((*name).to_owned(), counts.to_json()))
                    .collect(),
            )
        };
        let wrong = self.wrong.iter();
        let wrong =
            wrong.map(|(name, statements)| json!({ "cell": name, "statements": statements }));
        json!({
            "seed": self.seed,
            "interrupted": self.interrupted,
            "all": self.all.to_json(),
            "by_scenario": table(&self.by_kind),
            "by_misbehaviour": table(&self.by_fault),
            "wrong": wrong.collect::<Vec<_>>(),
        })
    }
}

fn table(title: &'static str, counts: &BTreeMap<&'static str, Counts>) -> format::Table {
    let columns = vec![
        Column::words(title),
        Column::number("cells"),
        Column::number("wrong"),
        Column::number("decided"),
        Column::number("right"),
        Column::number("disturbed"),
        Column::number("inconclusive"),
        Column::number("undecided"),
    ];
    let rows = counts.iter().map(|(name, counts)| {
        let inconclusive = part(counts.inconclusive as u64, counts.decided() as u64);
        let numbers = [
            counts.cells,
            counts.wrong_cells,
            counts.decided(),
            counts.right,
            counts.disturbed,
        ];
        let numbers = numbers.map(|number| Some(count(number as u64)));
        let mut cells = vec![Some((*name).to_owned())];
        cells.extend(numbers);
        cells.extend([Some(inconclusive), Some(count(counts.undecided as u64))]);
        format::Row::plain(cells)
    });
    format::Table::new(columns, rows.collect())
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
