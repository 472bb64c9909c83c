use std::fmt::Write as _;

use format::{Column, Tone, fixed, whole};
use serde_json::{Value, json};

use crate::compare::{Row, Unit, Verdict};

/// The outcome of all parts.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The parts, in the order in which they ran.
    pub parts: Vec<PartOutcome>,
    /// Whether the self-test was stopped before the last part ended.
    pub interrupted: bool,
}

/// The comparisons of one part.
#[derive(Clone, Debug)]
pub struct PartOutcome {
    /// The name of the part.
    pub name: &'static str,
    /// The title of the part.
    pub title: &'static str,
    /// The comparisons of known values with measured ones.
    pub rows: Vec<Row>,
    /// Why the part's times cannot be judged on this machine. `None` without a disturbance.
    pub disturbance: Option<String>,
}

impl Outcome {
    /// Returns the worst verdict of all rows. A difference is worse than a disturbance.
    pub fn verdict(&self) -> Verdict {
        if self.count(Verdict::Differs) > 0 {
            Verdict::Differs
        } else if self.count(Verdict::Disturbed) > 0 {
            Verdict::Disturbed
        } else {
            Verdict::Ok
        }
    }

    fn count(&self, verdict: Verdict) -> usize {
        let rows = self.parts.iter().flat_map(|part| &part.rows);
        rows.filter(|row| row.verdict == verdict).count()
    }

    fn all(&self) -> usize {
        self.parts.iter().map(|part| part.rows.len()).sum()
    }

    /// Describes the outcome in one sentence.
    pub fn headline(&self) -> String {
        let all = self.all();
        if self.interrupted {
            let told = match (all, self.count(Verdict::Differs)) {
                (0, _) => "before anything was compared".to_owned(),
                (_, 0) => format!(
                    "none of the {all} figures compared until then is wrong; the others are unknown"
                ),
                (_, wrong) => format!("{wrong} of {all} figures compared until then are WRONG"),
            };
            return format!("Interrupted: {told}.");
        }
        match self.verdict() {
            Verdict::Ok => format!(
                "headcount measures correctly on this machine: {all} of {all} figures agree with the known values."
            ),
            Verdict::Differs => format!(
                "headcount is WRONG on this machine: {} of {all} figures differ from the known values.",
                self.count(Verdict::Differs)
            ),
            Verdict::Disturbed => format!(
                "This machine is too busy for a verdict: {} of {all} figures differ, but other work took the CPU. \
                 Close other programs and try again.",
                self.count(Verdict::Disturbed)
            ),
        }
    }

    /// Formats the outcome for a terminal.
    pub fn terminal(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        for part in &self.parts {
            let _ = writeln!(text, "\n{} ({})", part.title, part.name);
            let rows = part.rows.iter().map(line);
            for line in format::Table::new(COLUMNS.into(), rows.collect()).text(false) {
                let _ = writeln!(text, "{line}");
            }
            if let Some(why) = &part.disturbance {
                let _ = writeln!(text, "  disturbed: {why}");
            }
        }
        text
    }

    /// Returns the outcome as JSON, for scripts.
    pub fn to_json(&self) -> Value {
        let parts = self.parts.iter().map(|part| {
            let rows: Vec<Value> = part.rows.iter().map(Row::to_json).collect();
            json!({
                "name": part.name, "title": part.title, "disturbance": part.disturbance, "rows": rows,
            })
        });
        let verdict = match self.verdict() {
            Verdict::Differs => "differs",
            _ if self.interrupted => "interrupted",
            Verdict::Ok => "ok",
            Verdict::Disturbed => "disturbed",
        };
        json!({ "verdict": verdict, "parts": parts.collect::<Vec<Value>>() })
    }
}

const COLUMNS: [Column; 5] = [
    Column::words("figure"),
    Column::number("known"),
    Column::number("measured"),
    Column::number("allowed"),
    Column::words("verdict"),
];

fn line(row: &Row) -> format::Row {
    let allowed = if row.allowed > 0.0 {
        format!("± {}", shown(row.unit, row.allowed))
    } else {
        "exact".to_owned()
    };
    let (verdict, tone) = match row.verdict {
        Verdict::Ok => ("ok", Tone::Plain),
        Verdict::Differs => ("DIFFERS", Tone::Bad),
        Verdict::Disturbed => ("disturbed", Tone::Doubtful),
    };
    let cells = [
        Some(row.what.clone()),
        Some(shown(row.unit, row.truth)),
        row.measured.map(|value| shown(row.unit, value)),
        Some(allowed),
        Some(verdict.to_owned()),
    ];
    format::Row {
        cells: cells.into(),
        tone,
    }
}

fn shown(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Nanos => format!("{} ms", fixed(value / 1e6, 3)),
        Unit::Count => whole(value),
        Unit::Percent => format!("{} %", fixed(value, 1)),
        Unit::Megabytes => format!("{} MB", fixed(value, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Rows;

    fn outcome(counts: &[(u64, u64)], is_disturbed: bool) -> Outcome {
        let mut rows = Rows::default();
        for (truth, measured) in counts {
            rows.count("deliveries", *truth, *measured);
        }
        rows.add("p50", Unit::Nanos, 2e7, Some(3e7), 2e5);
        if is_disturbed {
            rows.disturbed(1.0);
        }
        let (name, title) = ("x", "a part");
        let disturbance = is_disturbed.then(|| "busy".to_owned());
        Outcome {
            parts: vec![PartOutcome {
                name,
                title,
                rows: rows.0,
                disturbance,
            }],
            interrupted: false,
        }
    }

    #[test]
    fn an_interrupted_self_test_calls_nothing_true() {
        let mut nothing = Outcome {
            interrupted: true,
            ..Outcome::default()
        };
        let headline = "Interrupted: before anything was compared.";
        assert_eq!(nothing.headline(), headline);
        assert_eq!(nothing.to_json()["verdict"], "interrupted");
        nothing.parts = outcome(&[(5, 4)], false).parts;
        assert!(
            nothing
                .headline()
                .contains("2 of 2 figures compared until then are WRONG")
        );
    }

    #[test]
    fn a_difference_is_told_before_a_disturbance() {
        assert_eq!(outcome(&[(5, 5)], false).verdict(), Verdict::Differs);
        assert_eq!(outcome(&[(5, 5)], true).verdict(), Verdict::Disturbed);
        assert_eq!(outcome(&[(5, 4)], true).verdict(), Verdict::Differs);
        assert_eq!(Outcome::default().verdict(), Verdict::Ok);
    }

    #[test]
    fn the_truth_stands_beside_what_was_measured() {
        let text = outcome(&[(1_234_567, 1_234_566)], false).terminal();
        assert!(text.contains("2 of 2 figures differ"), "{text}");
        assert!(
            text.contains("1,234,567  1,234,566       exact  DIFFERS"),
            "{text}"
        );
        assert!(
            text.contains("20.000 ms  30.000 ms  ± 0.200 ms  DIFFERS"),
            "{text}"
        );
    }
}
