//! Fits the Universal Scalability Law to the levels of a run, and refuses the fit if the levels do not support it.
//!
//! The number of operations in flight follows from Little's law: throughput × time of an operation. So the fit needs no
//! knowledge of how the load was described, and think time does not count.

use record::{Level, Run};
use serde::{Deserialize, Serialize};
use stats::{UslFit, fit_usl};

use crate::levels::usable;
use crate::throughput::{Throughput, is_even, of_all_operations};

/// Fewest different loads.
const FEWEST_LOADS: usize = 5;
/// Ratio of two numbers in flight from which they are different loads.
const DIFFERENT: f64 = 1.2;
/// Smallest ratio of the largest number in flight to the smallest.
const RANGE: f64 = 4.0;
/// Throughput per operation in flight at the largest load, as a share of that of one. Above it, throughput is linear.
const LINEAR: f64 = 0.85;
/// Largest standard deviation of the relative error.
const LARGEST_ERROR: f64 = 0.15;
/// Throughput that is lower than this share of the highest has fallen.
const FALLEN: f64 = 0.95;
/// Failures and timeouts above this share change what an operation costs.
const FEW_FAILED: f64 = 0.05;

/// How throughput depends on the operations in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scalability {
    /// The fit.
    Fitted(FittedScalability),
    /// The levels do not support a fit.
    Refused(ScalabilityRefusal),
}

/// A fit, and the loads that it is based on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedScalability {
    /// The fit.
    pub usl: UslFit,
    /// Number of levels.
    pub levels: usize,
    /// The smallest number of operations in flight.
    pub least_in_flight: f64,
    /// The largest number of operations in flight.
    pub most_in_flight: f64,
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum ScalabilityRefusal {
    /// Too few loads were measured that differ in their operations in flight.
    TooFewLoads {
        /// Number of different loads.
        loads: usize,
        /// The number that a fit needs.
        needed: usize,
    },
    /// The loads are too close to each other.
    NarrowRange {
        /// The largest number of operations in flight as a multiple of the smallest.
        times: f64,
        /// The ratio that a fit needs.
        needed: f64,
    },
    /// Throughput grew with the load, so nothing is known about where this ends.
    Linear {
        /// The largest number of operations in flight.
        in_flight: f64,
    },
    /// The law does not describe these throughputs.
    PoorFit {
        /// Standard deviation of the relative error, in percent.
        error_percent: f64,
        /// The largest deviation that a fit may have, in percent.
        limit_percent: f64,
    },
    /// Throughput stays at its highest, although the law has it fall: so does a target with a fixed number of places.
    Plateau {
        /// Throughput per second at the largest load.
        per_s: f64,
        /// The largest number of operations in flight.
        in_flight: f64,
    },
    /// Throughput per operation in flight grows with the load, as it does while a target warms up.
    Superlinear,
}

impl Scalability {
    /// The fit, if there is one.
    pub fn usl(&self) -> Option<&UslFit> {
        match self {
            Self::Fitted(fitted) => Some(&fitted.usl),
            Self::Refused(_) => None,
        }
    }
}

impl FittedScalability {
    /// The throughput per second that the law gives for the operations in flight of a level. `None` without operations.
    pub fn at(&self, level: &Level) -> Option<f64> {
        let throughput = of_all_operations(level)?;
        (throughput.in_flight > 0.0).then(|| self.usl.throughput(throughput.in_flight))
    }

    /// The number of operations in flight at which throughput is highest, if it falls beyond within the data's
    /// confidence.
    pub fn peak_in_flight(&self) -> Option<f64> {
        let (sigma, kappa) = (self.usl.sigma.value, self.usl.kappa);
        (kappa.low > 0.0 && sigma < 1.0).then(|| ((1.0 - sigma) / kappa.value).sqrt())
    }

    /// The throughput per second that is approached but never reached, if contention limits it and no peak is known.
    pub fn limit_per_s(&self) -> Option<f64> {
        let sigma = self.usl.sigma;
        let is_limit = sigma.low > 0.0 && self.peak_in_flight().is_none();
        is_limit.then(|| self.usl.lambda.value / sigma.value)
    }
}

/// Fits the law to the valid levels of a run.
pub fn scalability(run: &Run) -> Scalability {
    match fit(run) {
        Ok(fitted) => Scalability::Fitted(fitted),
        Err(refusal) => Scalability::Refused(refusal),
    }
}

fn fit(run: &Run) -> Result<FittedScalability, ScalabilityRefusal> {
    let mut points: Vec<(f64, f64)> = usable(run).filter_map(point).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let loads = different(&points);
    let too_few = ScalabilityRefusal::TooFewLoads {
        loads,
        needed: FEWEST_LOADS,
    };
    let (Some(&(least, _)), Some(&(most, _))) = (points.first(), points.last()) else {
        return Err(too_few);
    };
    if loads < FEWEST_LOADS {
        return Err(too_few);
    }
    if most < least * RANGE {
        return Err(ScalabilityRefusal::NarrowRange {
            times: most / least,
            needed: RANGE,
        });
    }
    let usl = fit_usl(&points).ok_or(too_few)?;
    if usl.error > LARGEST_ERROR {
        return Err(ScalabilityRefusal::PoorFit {
            error_percent: usl.error * 100.0,
            limit_percent: LARGEST_ERROR * 100.0,
        });
    }
    if usl.sigma.high < 0.0 || usl.kappa.high < 0.0 {
        return Err(ScalabilityRefusal::Superlinear);
    }
    let efficiency = (usl.throughput(most) / most) / (usl.throughput(least) / least);
    if efficiency > LINEAR {
        return Err(ScalabilityRefusal::Linear { in_flight: most });
    }
    let fitted = FittedScalability {
        usl,
        levels: points.len(),
        least_in_flight: least,
        most_in_flight: most,
    };
    if fitted.peak_in_flight().is_some_and(|peak| peak < most) {
        let per_s = points.last().map_or(0.0, |point| point.1);
        let highest = points.iter().map(|point| point.1).fold(0.0, f64::max);
        if per_s > FALLEN * highest {
            return Err(ScalabilityRefusal::Plateau {
                per_s,
                in_flight: most,
            });
        }
    }
    Ok(fitted)
}

/// Operations in flight and throughput of a level. Rate profiles and levels of one iteration are not steady.
fn point(level: &Level) -> Option<(f64, f64)> {
    let Throughput {
        per_s,
        in_flight,
        failed,
        timed_out,
        ..
    } = of_all_operations(level)?;
    let is_steady = is_even(level) && failed + timed_out <= FEW_FAILED;
    (is_steady && per_s > 0.0 && in_flight > 0.0).then_some((in_flight, per_s))
}

/// The number of clearly different loads among points in ascending order.
fn different(points: &[(f64, f64)]) -> usize {
    let mut loads = 0;
    let mut last = 0.0;
    for &(load, _) in points {
        if loads == 0 || load >= last * DIFFERENT {
            loads += 1;
            last = load;
        }
    }
    loads
}
