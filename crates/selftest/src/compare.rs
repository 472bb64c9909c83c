use serde_json::{Value, json};
use stats::Estimate;

/// The share of a time by which it may differ from the truth …
const SHARE: f64 = 0.01;

/// … or this, where that is more, in nanoseconds: what two wake-ups of a sleeping core take.
const LEAST_NS: f64 = 50_000.0;

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanos,
    /// Things.
    Count,
    /// Percent of one core.
    Percent,
    /// Megabytes (10^6 bytes).
    Megabytes,
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within what is allowed.
    Ok,
    /// Not.
    Differs,
    /// It differs, and the machine was too disturbed to blame the measurement.
    Disturbed,
}

/// A known truth beside what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about.
    pub what: String,
    /// What it is counted in.
    pub unit: Unit,
    /// What is known.
    pub truth: f64,
    /// What was measured; `None`: nothing.
    pub measured: Option<f64>,
    /// By how much they may differ.
    pub allowed: f64,
    /// What it came to.
    pub verdict: Verdict,
}

/// All comparisons of a part.
#[derive(Debug, Default)]
pub(crate) struct Rows(pub(crate) Vec<Row>);

impl Rows {
    /// Both counts must be the same.
    pub(crate) fn count(&mut self, what: &str, truth: u64, measured: u64) {
        self.add(what, Unit::Count, truth as f64, Some(measured as f64), 0.0);
    }

    /// A time, within one percent or fifty microseconds.
    pub(crate) fn time(&mut self, what: &str, truth_ns: u64, measured: Estimate) {
        let truth = truth_ns as f64;
        let measured = measured.value().map(|value| value.0 as f64);
        self.add(
            what,
            Unit::Nanos,
            truth,
            measured,
            (truth * SHARE).max(LEAST_NS),
        );
    }

    pub(crate) fn add(
        &mut self,
        what: &str,
        unit: Unit,
        truth: f64,
        measured: Option<f64>,
        allowed: f64,
    ) {
        let is_near = measured.is_some_and(|measured| (measured - truth).abs() <= allowed);
        self.0.push(Row {
            what: what.to_owned(),
            unit,
            truth,
            measured,
            allowed,
            verdict: if is_near {
                Verdict::Ok
            } else {
                Verdict::Differs
            },
        });
    }

    /// Takes back what cannot be blamed on the measurement: everything but counts.
    pub(crate) fn disturbed(&mut self) {
        for row in &mut self.0 {
            if row.unit != Unit::Count && row.verdict == Verdict::Differs {
                row.verdict = Verdict::Disturbed;
            }
        }
    }
}

impl Row {
    pub(crate) fn to_json(&self) -> Value {
        let unit = match self.unit {
            Unit::Nanos => "ns",
            Unit::Count => "count",
            Unit::Percent => "percent",
            Unit::Megabytes => "MB",
        };
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Differs => "differs",
            Verdict::Disturbed => "disturbed",
        };
        json!({
            "what": self.what, "unit": unit, "truth": self.truth, "measured": self.measured,
            "allowed": self.allowed, "verdict": verdict,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn verdict_of_time(truth: u64, measured: u64) -> Verdict {
        let mut rows = Rows::default();
        let value = Nanos(measured);
        rows.time(
            "t",
            truth,
            Estimate::Value {
                value,
                interval: None,
            },
        );
        rows.0[0].verdict
    }

    #[test]
    fn a_time_may_differ_by_one_percent_or_fifty_microseconds() {
        assert_eq!(verdict_of_time(20_000_000, 20_200_000), Verdict::Ok);
        assert_eq!(verdict_of_time(20_000_000, 20_200_001), Verdict::Differs);
        assert_eq!(verdict_of_time(1_000_000, 1_050_000), Verdict::Ok);
        assert_eq!(verdict_of_time(1_000_000, 949_999), Verdict::Differs);
    }

    #[test]
    fn what_was_not_measured_differs() {
        let mut rows = Rows::default();
        rows.time("t", 1, Estimate::Unavailable { have: 1, need: 2 });
        assert_eq!(rows.0[0].verdict, Verdict::Differs);
    }

    #[test]
    fn a_disturbed_machine_excuses_times_and_never_counts() {
        let mut rows = Rows::default();
        rows.time("t", 20_000_000, Estimate::Beyond);
        rows.count("n", 5, 4);
        rows.count("m", 5, 5);
        rows.disturbed();
        let verdicts: Vec<_> = rows.0.iter().map(|row| row.verdict).collect();
        assert_eq!(
            verdicts,
            [Verdict::Disturbed, Verdict::Differs, Verdict::Ok]
        );
    }
}
