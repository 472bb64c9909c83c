use serde_json::{Value, json};
use stats::Estimate;

/// The share of a time by which it may differ from the truth …
const SHARE: f64 = 0.01;

/// … or this, where that is more, in nanoseconds: what two wake-ups of a sleeping core take.
const LEAST_NS: f64 = 50_000.0;

/// The share of the time without a CPU that explains every difference.
pub(crate) const CPU_WAIT_SHARE: f64 = 0.02;

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
    /// The share of the time without a CPU that explains a difference; `None`: nothing does.
    pub excused_by: Option<f64>,
    /// What it came to.
    pub verdict: Verdict,
}

/// All comparisons of a part.
#[derive(Debug, Default)]
pub(crate) struct Rows(pub(crate) Vec<Row>);

impl Rows {
    /// Both counts must be the same.
    pub(crate) fn count(&mut self, what: &str, truth: u64, measured: u64) {
        self.started(what, truth, measured);
        if let Some(row) = self.0.last_mut() {
            row.excused_by = None;
        }
    }

    /// What a generator starts by the clock: it leaves out what a busy machine does not let it start, and counts that.
    pub(crate) fn started(&mut self, what: &str, planned: u64, started: u64) {
        self.add(what, Unit::Count, planned as f64, Some(started as f64), 0.0);
    }

    /// The same where the first few may have been due before anything could start.
    pub(crate) fn started_about(&mut self, what: &str, planned: u64, started: u64, few: u64) {
        let (planned, started) = (planned as f64, Some(started as f64));
        self.add(what, Unit::Count, planned, started, few as f64);
    }

    /// Quantile `q` of times, within one percent or fifty microseconds. A quarter of the samples beyond it is enough to
    /// move it.
    pub(crate) fn time(&mut self, what: &str, q: f64, truth_ns: u64, measured: Estimate) {
        let truth = truth_ns as f64;
        let measured = measured.value().map(|value| value.0 as f64);
        self.add(
            what,
            Unit::Nanos,
            truth,
            measured,
            (truth * SHARE).max(LEAST_NS),
        );
        if let Some(row) = self.0.last_mut() {
            row.excused_by = Some((1.0 - q) / 4.0);
        }
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
            excused_by: Some(CPU_WAIT_SHARE),
            verdict: if is_near {
                Verdict::Ok
            } else {
                Verdict::Differs
            },
        });
    }

    /// Takes back what cannot be blamed on the measurement when somebody had no CPU for this share of the time; whether
    /// there was anything. Counts are never taken back.
    pub(crate) fn disturbed(&mut self, share: f64) -> bool {
        let mut any = false;
        for row in &mut self.0 {
            let is_excused = row.excused_by.is_some_and(|enough| share >= enough);
            if is_excused && row.verdict == Verdict::Differs {
                row.verdict = Verdict::Disturbed;
                any = true;
            }
        }
        any
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
            0.5,
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
        rows.time("t", 0.5, 1, Estimate::Unavailable { have: 1, need: 2 });
        assert_eq!(rows.0[0].verdict, Verdict::Differs);
    }

    #[test]
    fn a_disturbed_machine_excuses_times_and_what_was_not_started_and_never_counts() {
        let mut rows = Rows::default();
        rows.time("t", 0.5, 20_000_000, Estimate::Beyond { at_least: None });
        rows.count("n", 5, 4);
        rows.count("m", 5, 5);
        rows.started("s", 5, 4);
        assert!(rows.disturbed(1.0));
        let verdicts: Vec<_> = rows.0.iter().map(|row| row.verdict).collect();
        assert_eq!(
            verdicts,
            [
                Verdict::Disturbed,
                Verdict::Differs,
                Verdict::Ok,
                Verdict::Disturbed
            ]
        );
    }

    #[test]
    fn a_little_disturbance_excuses_the_tail_and_not_the_median() {
        let mut rows = Rows::default();
        rows.time("p50", 0.5, 20_000_000, Estimate::Beyond { at_least: None });
        rows.time("p99", 0.99, 20_000_000, Estimate::Beyond { at_least: None });
        assert!(!rows.disturbed(0.002));
        assert!(rows.disturbed(0.003));
        let verdicts: Vec<_> = rows.0.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Verdict::Differs, Verdict::Disturbed]);
    }
}
