//! Facts about single requests and deliveries, taken only from the server's log.

/// The answer to a question about the log: yes, no, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Yes,
    No,
    Maybe,
}

/// One request, round trip, iteration, check or delivery. Times are in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Whether the operation certainly lies in the measured time.
    pub(crate) certain: bool,
    /// Whether the operation has a latency.
    pub(crate) timed: Known,
    /// Lower bound of the latency.
    pub(crate) lower: f64,
    /// Upper bound of the latency.
    pub(crate) upper: f64,
    /// Whether the operation counts as bad: failed, lost, duplicated and so on.
    pub(crate) bad: Known,
    /// How many times the operation counts if it is bad.
    pub(crate) times: u64,
}

impl Sample {
    /// Returns a sample with unknown latency and outcome. `certain`: whether it certainly lies in the measured time.
    pub(crate) fn unknown(certain: bool) -> Self {
        Self {
            certain,
            timed: Known::Maybe,
            lower: 0.0,
            upper: f64::INFINITY,
            bad: Known::Maybe,
            times: 1,
        }
    }
}

/// The outcome of a threshold according to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Holds,
    Broken,
    /// No operation was relevant to the threshold. The program must not report the threshold as held.
    NoData,
    /// The log does not show the outcome.
    Undecided,
}

/// All samples that a threshold covers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    pub(crate) all: Vec<Sample>,
    /// Whether there may be further samples that the server has not seen.
    pub(crate) is_open: bool,
}

/// Relative tolerance of times, which are recorded with three significant digits.
const ROUNDING: f64 = 0.005;
/// Absolute tolerance of counts: in binary floating point, 10 % of 190 may not be exactly 19.
const EPSILON: f64 = 1e-6;
/// Absolute tolerance of times in microseconds, because the clocks are not read at the same moment.
const INSTANT: f64 = 100.0;

fn is_beyond(sample: &Sample, limit: f64) -> bool {
    sample.lower >= limit * (1.0 + ROUNDING) + INSTANT
}

fn is_within(sample: &Sample, limit: f64) -> bool {
    sample.upper < limit * (1.0 - ROUNDING) - INSTANT
}

impl Samples {
    fn count(&self, fits: impl Fn(&Sample) -> bool) -> f64 {
        self.all.iter().filter(|sample| fits(sample)).count() as f64
    }

    /// Returns `NoData` if no sample can have a time or succeed.
    fn nothing(&self) -> Option<Truth> {
        self.all.is_empty().then_some(Truth::NoData)
    }

    /// Whether quantile `q` of the times is below the limit.
    pub(crate) fn quantile_below(&self, q: f64, limit: f64) -> Truth {
        if let Some(nothing) = self.nothing() {
            return nothing;
        }
        let beyond = self.count(|s| s.certain && s.timed == Known::Yes && is_beyond(s, limit));
        let rest = self.count(|s| s.timed != Known::No && !is_beyond(s, limit));
        if beyond > (1.0 - q) * (beyond + rest) + EPSILON {
            return Truth::Broken;
        }
        let risk = self.count(|s| s.timed != Known::No && !is_within(s, limit));
        let within = self.count(|s| s.certain && s.timed == Known::Yes && is_within(s, limit));
        let holds = within > 0.0 && risk < (1.0 - q) * (risk + within) - EPSILON;
        self.holds_if(holds)
    }

    pub(crate) fn max_below(&self, limit: f64) -> Truth {
        if let Some(nothing) = self.nothing() {
            return nothing;
        }
        if self.count(|s| s.certain && s.timed == Known::Yes && is_beyond(s, limit)) > 0.0 {
            return Truth::Broken;
        }
        let risk = self.count(|s| s.timed != Known::No && !is_within(s, limit));
        let within = self.count(|s| s.certain && s.timed == Known::Yes);
        self.holds_if(risk == 0.0 && within > 0.0)
    }

    pub(crate) fn mean_below(&self, limit: f64) -> Truth {
        if let Some(nothing) = self.nothing() {
            return nothing;
        }
        let mean = |chosen: &dyn Fn(&&Sample) -> bool, time: fn(&Sample) -> f64| {
            let times: Vec<f64> = self.all.iter().filter(chosen).map(time).collect();
            times.iter().sum::<f64>() / times.len() as f64
        };
        let sure = |s: &&Sample| s.certain && s.timed == Known::Yes;
        let least = mean(
            &|s| sure(s) || s.timed != Known::No && s.lower < limit,
            |s| s.lower,
        );
        if least >= limit * 1.01 {
            return Truth::Broken;
        }
        let most = mean(
            &|s| sure(s) || s.timed != Known::No && s.upper > limit,
            |s| s.upper,
        );
        self.holds_if(most < limit * 0.99)
    }

    /// Whether at most `limit` samples are bad.
    pub(crate) fn bad_at_most(&self, limit: f64) -> Truth {
        if let Some(nothing) = self.nothing() {
            // Some operations may have failed before the server saw them.
            return if self.is_open {
                Truth::Undecided
            } else {
                nothing
            };
        }
        let (sure, perhaps) = self.bad();
        if sure > limit {
            return Truth::Broken;
        }
        let good = self.count(|s| s.certain && s.bad == Known::No);
        self.holds_if(perhaps <= limit && good + sure > 0.0)
    }

    /// Whether the share of bad samples is below `share`.
    pub(crate) fn bad_below(&self, share: f64) -> Truth {
        if let Some(nothing) = self.nothing() {
            return nothing;
        }
        let (sure, perhaps) = self.bad();
        let others = self.count(|s| !(s.certain && s.bad == Known::Yes));
        if sure > 0.0 && sure / (sure + others) >= share {
            return Truth::Broken;
        }
        let good = self.count(|s| s.certain && s.bad == Known::No);
        self.holds_if(good > 0.0 && perhaps / (perhaps + good) < share)
    }

    /// Returns the number of samples that are certainly bad, and of those that are at least possibly bad.
    fn bad(&self) -> (f64, f64) {
        let sum = |fits: &dyn Fn(&&Sample) -> bool| {
            let times = self.all.iter().filter(fits).map(|sample| sample.times);
            times.sum::<u64>() as f64
        };
        let sure = sum(&|s| s.certain && s.bad == Known::Yes);
        (sure, sum(&|s| s.bad != Known::No))
    }

    /// Whether at least `share` of the samples are good.
    pub(crate) fn good_at_least(&self, share: f64) -> Truth {
        if let Some(nothing) = self.nothing() {
            return nothing;
        }
        let bad = self.count(|s| s.certain && s.bad == Known::Yes);
        let perhaps_good = self.count(|s| s.bad != Known::Yes);
        if perhaps_good / (perhaps_good + bad) < share {
            return Truth::Broken;
        }
        let good = self.count(|s| s.certain && s.bad == Known::No);
        let others = self.all.len() as f64 - good;
        self.holds_if(good > 0.0 && good / (good + others.max(0.0)) >= share)
    }

    /// Whether there are at least `limit` samples.
    pub(crate) fn count_at_least(&self, limit: f64) -> Truth {
        if !self.is_open && (self.all.len() as f64) < limit {
            return Truth::Broken;
        }
        let sure = self.count(|s| s.certain && s.timed == Known::Yes && s.upper.is_finite());
        if sure >= limit {
            Truth::Holds
        } else {
            Truth::Undecided
        }
    }

    fn holds_if(&self, holds: bool) -> Truth {
        if holds && !self.is_open {
            Truth::Holds
        } else {
            Truth::Undecided
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(ms: f64) -> Sample {
        Sample {
            certain: true,
            timed: Known::Yes,
            lower: ms * 1e3,
            upper: (ms + 25.0) * 1e3,
            bad: Known::No,
            times: 1,
        }
    }

    fn never() -> Sample {
        Sample {
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            bad: Known::Yes,
            ..answered(0.0)
        }
    }

    fn samples(good: usize, bad: usize) -> Samples {
        let good = std::iter::repeat_n(answered(10.0), good);
        Samples {
            all: good.chain(std::iter::repeat_n(never(), bad)).collect(),
            is_open: false,
        }
    }

    #[test]
    fn what_is_never_answered_ranks_beyond_every_limit() {
        assert_eq!(samples(95, 5).quantile_below(0.95, 1e5), Truth::Undecided);
        assert_eq!(samples(94, 6).quantile_below(0.95, 1e5), Truth::Broken);
        assert_eq!(samples(96, 4).quantile_below(0.95, 1e5), Truth::Holds);
        assert_ne!(samples(171, 19).quantile_below(0.9, 1e5), Truth::Broken);
        assert_eq!(samples(96, 4).max_below(1e5), Truth::Broken);
        assert_eq!(samples(96, 4).mean_below(1e5), Truth::Broken);
    }

    #[test]
    fn a_limit_within_the_tolerance_is_not_judged() {
        assert_eq!(samples(100, 0).quantile_below(0.5, 20e3), Truth::Undecided);
        assert_eq!(samples(100, 0).quantile_below(0.5, 9e3), Truth::Broken);
        assert_eq!(samples(100, 0).quantile_below(0.5, 36e3), Truth::Holds);
    }

    #[test]
    fn failures_are_counted_and_no_data_is_no_success() {
        assert_eq!(samples(10, 0).bad_at_most(0.0), Truth::Holds);
        assert_eq!(samples(10, 1).bad_at_most(0.0), Truth::Broken);
        assert_eq!(samples(90, 10).bad_below(0.1), Truth::Broken);
        assert_eq!(samples(91, 9).bad_below(0.1), Truth::Holds);
        assert_eq!(samples(0, 0).bad_at_most(0.0), Truth::NoData);
        let mut open = samples(10, 0);
        open.is_open = true;
        assert_eq!(open.bad_at_most(0.0), Truth::Undecided);
    }
}
