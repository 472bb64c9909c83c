//! The times at which the arrivals of an open load are due. They depend only on the plan.
//!
//! The rate profile is a function of time, and its integral counts the arrivals. With even spacing, arrival `k` is due
//! when the integral reaches `k`. With Poisson spacing, it is due when the integral reaches the `k`th point of a
//! Poisson process of rate one (time rescaling). A seeded generator draws the gaps of that process. Bursts, steps and
//! ramps are therefore exact. The same seed gives the same arrivals on every machine and with any number of workers.

use model::Nanos;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::rate_profile::{RateProfile, RateSegment};

/// Tolerance for rounding errors, as a fraction of an arrival.
const ROUNDING: f64 = 1e-6;

/// How arrivals are spaced at a given rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// Equal gaps between arrivals.
    #[default]
    Even,
    /// Exponential gaps, so that arrivals are independent of each other, like visitors of a site.
    Poisson,
}

/// The arrivals of an open load. Times count from the start of the level.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    segments: Vec<RateSegment>,
    spacing: Spacing,
    /// Mean number of arrivals per second in the measured time.
    mean_rate: f64,
    /// Length of the measured time.
    hold: Nanos,
}

impl Arrivals {
    /// Plans the arrivals of a rate profile. Before the profile, the rate rises evenly over `ramp` to the profile's
    /// first rate and stays there for `warmup`. `hold` is the length of the measured time if the rate is steady.
    pub fn new(
        profile: &RateProfile,
        spacing: Spacing,
        ramp: Nanos,
        warmup: Nanos,
        hold: Nanos,
    ) -> Self {
        let first = profile.first_rate();
        let segment = |from, to, lasts| RateSegment { from, to, lasts };
        let measured = match profile {
            RateProfile::Steady(rate) => vec![segment(*rate, *rate, hold)],
            RateProfile::Segments(segments) => segments.clone(),
        };
        let arrivals: f64 = measured.iter().map(size).sum();
        let hold = measured
            .iter()
            .fold(Nanos::ZERO, |sum, segment| sum + segment.lasts);
        let mut segments = vec![segment(0.0, first, ramp), segment(first, first, warmup)];
        segments.extend(measured);
        segments.retain(|segment| segment.lasts > Nanos::ZERO);
        Self {
            segments,
            spacing,
            mean_rate: arrivals / hold.as_secs_f64(),
            hold,
        }
    }

    /// The length of the measured time.
    pub fn hold(&self) -> Nanos {
        self.hold
    }

    /// The mean number of arrivals per second in the measured time.
    pub fn mean_rate(&self) -> f64 {
        self.mean_rate
    }

    /// The spacing of the arrivals.
    pub fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// All arrivals in order of time, numbered from 0. `seed` only matters for Poisson arrivals.
    pub fn starts(&self, seed: u64) -> Starts {
        let mut starts = Starts {
            segments: self.segments.clone(),
            segment: 0,
            leg_start: Nanos::ZERO,
            before_leg: 0.0,
            number: 0,
            point: 0.0,
            random: (self.spacing == Spacing::Poisson).then(|| Pcg64Mcg::seed_from_u64(seed)),
        };
        if starts.random.is_some() {
            starts.point = starts.gap();
        }
        starts
    }
}

/// Iterates over the arrivals of a plan.
#[derive(Clone, Debug)]
pub struct Starts {
    segments: Vec<RateSegment>,
    segment: usize,
    leg_start: Nanos,
    /// Number of arrivals in all segments before this one.
    before_leg: f64,
    number: u64,
    /// The next arrival is due when the integral reaches this value.
    point: f64,
    random: Option<Pcg64Mcg>,
}

impl Starts {
    /// The gap to the next point: random for a Poisson process of rate one, or 1 for even spacing.
    fn gap(&mut self) -> f64 {
        match &mut self.random {
            None => 1.0,
            Some(random) => {
                let fraction = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                -(-fraction).ln_1p()
            }
        }
    }
}

impl Iterator for Starts {
    type Item = (u64, Nanos);

    fn next(&mut self) -> Option<Self::Item> {
        let segment = loop {
            let segment = self.segments.get(self.segment)?;
            let after = self.before_leg + size(segment);
            if self.point < after - ROUNDING {
                break segment;
            }
            self.before_leg = after;
            self.leg_start += segment.lasts;
            self.segment += 1;
        };
        let due = self.leg_start + time_to(segment, self.point - self.before_leg);
        let number = self.number;
        self.number += 1;
        // Even spacing uses the number itself, so that rounding errors do not accumulate.
        self.point = match self.random {
            None => self.number as f64,
            Some(_) => self.point + self.gap(),
        };
        Some((number, due))
    }
}

/// The number of arrivals in one segment: the area under its rate.
fn size(segment: &RateSegment) -> f64 {
    f64::midpoint(segment.from, segment.to) * segment.lasts.as_secs_f64()
}

/// The time from the start of a segment until the integral of its rate reaches `count`. Solves `from·t + (to −
/// from)/(2·lasts)·t² = count` in the form that is numerically stable for falling, steady and rising rates.
fn time_to(segment: &RateSegment, count: f64) -> Nanos {
    let slope = (segment.to - segment.from) / segment.lasts.as_secs_f64();
    let root = (segment.from * segment.from + 2.0 * slope * count)
        .max(0.0)
        .sqrt();
    let divisor = segment.from + root;
    if count <= 0.0 || divisor <= 0.0 {
        return Nanos::ZERO;
    }
    Nanos::from_secs_f64(2.0 * count / divisor).min(segment.lasts)
}

#[cfg(test)]
mod tests;
