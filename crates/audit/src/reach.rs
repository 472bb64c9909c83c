//! The range in which the true value of a figure lies, under every interpretation of the figure.
//!
//! Printed figures are rounded or truncated. Percentiles and means of a written report may come from a histogram. A
//! success rate refers to the operations started or to those that ended. A claim is impossible only if every
//! interpretation contradicts it.

use crate::bounds::{cap, floor};
use crate::claim::Claim;
use crate::figure::Figure;
use crate::results::{Level, Row};

/// A range from the smallest to the largest possible value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Reach {
    pub(crate) fn of(figure: &Figure) -> Self {
        Self {
            low: figure.low(),
            high: figure.high(),
        }
    }

    pub(crate) fn join(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn times(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

impl Level {
    /// Returns the range of the figure that a claim names, in the claim's own unit.
    pub(crate) fn reach(&self, claim: &Claim, of: &str) -> Option<Reach> {
        if !claim.percent {
            return self.reach_of(claim.row.as_deref(), of);
        }
        let success = self.row(claim.row.as_deref())?.success_reach()?;
        Some(match of {
            "failed" => Reach {
                low: 100.0 - success.high,
                high: 100.0 - success.low,
            },
            _ => success,
        })
    }

    /// Returns the range of the figure called `of`, in a row or in the whole level.
    pub(crate) fn reach_of(&self, row: Option<&str>, of: &str) -> Option<Reach> {
        if of == "success" {
            return self.row(row)?.success_reach();
        }
        let figure = self.figure(row, of)?;
        if matches!(of, "users" | "sessions") {
            return Some(Reach::of(&figure));
        }
        Some(self.row(row)?.reach(of, &figure))
    }
}

impl Row {
    /// Returns the range of a figure of this row.
    pub(crate) fn reach(&self, of: &str, figure: &Figure) -> Reach {
        match of {
            "min" | "mean" | "max" => self.time_reach(figure),
            _ if of.starts_with('p') => self.percentile_reach(figure),
            _ => Reach::of(figure),
        }
    }

    /// Returns the range of a time that may come from a histogram.
    fn time_reach(&self, time: &Figure) -> Reach {
        Reach {
            low: time.low() * (1.0 - self.times.resolution),
            high: time.high() * (1.0 + self.times.resolution),
        }
    }

    /// Returns the range of a percentile. If the buckets of the histogram are stated, the range is the whole bucket.
    fn percentile_reach(&self, time: &Figure) -> Reach {
        let last = self.edges_ms.iter().map(|edge| edge.value);
        let last = last.fold(0.0, f64::max);
        Reach {
            low: floor(self, time),
            high: if last > 0.0 && time.high() >= last {
                f64::INFINITY
            } else {
                cap(self, time)
            },
        }
    }

    /// Returns the range of the success rate, in per cent.
    pub(crate) fn success_reach(&self) -> Option<Reach> {
        let stated = self.counts.success_percent.as_ref().map(Reach::of);
        let counted = self.counted_success();
        let all = [stated, counted].into_iter().flatten();
        all.reduce(Reach::join)
    }

    /// Returns the range of the success rate according to the counts alone. The rate refers to the operations started,
    /// or to those that ended.
    pub(crate) fn counted_success(&self) -> Option<Reach> {
        let counted = self.shares().into_iter().map(|share| share.times(100.0));
        let counted = counted.reduce(Reach::join)?;
        let counts = &self.counts;
        // The operations that ended are not exactly the operations that started. Some had not ended yet, and others had
        // started before the counting. Reports often omit both numbers. The assumption is that at most twice as many
        // ended as started, plus ten.
        let most = |failed: &Figure, sent: &Figure| {
            100.0 * (1.0 - failed.low() / (2.0 * sent.high() + 10.0))
        };
        let high = counts.failed.as_ref().zip(counts.sent.as_ref());
        let high = high.map_or(100.0, |(failed, sent)| most(failed, sent));
        let loose = match (&counts.ok, &counts.failed) {
            (Some(_), Some(_)) => counted,
            (Some(_), None) => Reach {
                low: 0.0,
                high: 100.0,
            },
            _ if counts.unfinished.is_none() => Reach {
                low: 0.0,
                high: counted.high.max(high),
            },
            _ => Reach {
                high: counted.high.max(high),
                ..counted
            },
        };
        Some(loose)
    }

    /// Returns the range of each success rate that the counts allow: relative to operations started, and to operations
    /// ended.
    pub(crate) fn shares(&self) -> Vec<Reach> {
        let counts = &self.counts;
        let (sent, ok, failed) = (&counts.sent, &counts.ok, &counts.failed);
        let share =
            |hits: f64, misses: f64| hits.max(0.0) / (hits.max(0.0) + misses.max(0.0)).max(1e-9);
        let of_all = |part: &Figure, all: &Figure| Reach {
            low: part.low().max(0.0) / all.high().max(1e-9),
            high: part.high() / all.low().max(1e-9),
        };
        let mut found = Vec::new();
        if let Some((ok, failed)) = ok.as_ref().zip(failed.as_ref()) {
            found.push(Reach {
                low: share(ok.low(), failed.high()),
                high: share(ok.high(), failed.low()),
            });
        }
        if let Some((ok, sent)) = ok.as_ref().zip(sent.as_ref()) {
            found.push(of_all(ok, sent));
        }
        if let Some((failed, sent)) = failed.as_ref().zip(sent.as_ref()) {
            let missed = of_all(failed, sent);
            found.push(Reach {
                low: 1.0 - missed.high,
                high: 1.0 - missed.low,
            });
            if let Some(unfinished) = &counts.unfinished {
                let ended = Figure::rounded(
                    sent.value - unfinished.value,
                    sent.slack + unfinished.slack,
                    "",
                );
                let missed = of_all(failed, &ended);
                found.push(Reach {
                    low: 1.0 - missed.high,
                    high: 1.0 - missed.low,
                });
            }
        }
        found
    }
}
