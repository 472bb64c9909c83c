use serde_json::{Value, json};
use stats::Estimate;

/// Allowed difference between a measured time and the known time, as a share of the known time.
const SHARE: f64 = 0.01;

/// Minimum allowed difference of times, in nanoseconds: the cost of about two wake-ups of a sleeping core.
const LEAST_NS: f64 = 50_000.0;

/// Share of the time without a CPU, of any process, from which differences are excused.
pub(crate) const CPU_WAIT_SHARE: f64 = 0.02;

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanos,
    /// A plain number.
    Count,
    /// Percent of one core.
    Percent,
    /// Megabytes (10^6 bytes).
    Megabytes,
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is within the allowed range.
    Ok,
    /// The difference is outside the allowed range.
    Differs,
    /// The difference is outside the allowed range, but the machine was too busy to blame the measurement.
    Disturbed,
}

/// A measured value and the known value that it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of the figure.
    pub what: String,
    /// The unit of all values.
    pub unit: Unit,
    /// The known value.
    pub truth: f64,
    /// The measured value. `None` if nothing was measured.
    pub measured: Option<f64>,
    /// The allowed difference.
    pub allowed: f64,
    /// Share of the time without a CPU from which a difference is excused. `None` if it is never excused.
    pub excused_by: Option<f64>,
    /// The result of the comparison.
    pub verdict: Verdict,
}

/// All comparisons of a part.
#[derive(Debug, Default)]
pub(crate) struct Rows(pub(crate) Vec<Row>);

impl Rows {
    /// Compares two counts, which must be equal.
    pub(crate) fn count(&mut self, what: &str, truth: u64, measured: u64) {
        self.started(what, truth, measured);
        if let Some(row) = self.0.last_mut() {
            row.excused_by = None;
        }
    }

    /// Compares the number of starts with the schedule. A busy machine may skip some starts, so a difference may be
    /// excused.
    pub(crate) fn started(&mut self, what: &str, planned: u64, started: u64) {
        self.add(what, Unit::Count, planned as f64, Some(started as f64), 0.0);
    }

    /// Like [`Rows::started`], but allows a difference of `few`, because some starts may be due before anything can
    /// start.
    pub(crate) fn started_about(&mut self, what: &str, planned: u64, started: u64, few: u64) {
        let (planned, started) = (planned as f64, Some(started as f64));
        self.add(what, Unit::Count, planned, started, few as f64);
    }

    /// Compares quantile `q` of the times, within 1 % or 50 µs. A difference is excused if the disturbance lasted for
    /// at least a quarter of the share of time beyond the quantile.
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

    /// Excuses differences if a process had no CPU for `share` of the time. Returns whether any difference was excused.
    /// Most counts are never excused.
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
