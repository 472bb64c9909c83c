//! When each arrival of an open load is due: a function of time alone.
//!
//! The course of rates is a function over time; its integral counts the arrivals. Evenly spaced, arrival `k` is due
//! where the integral passes `k`; as a Poisson process, where it passes the `k`th point of a process of rate one (time
//! rescaling), whose gaps come from a seeded generator. So bursts, steps and ramps are exact, and the same seed gives
//! the same arrivals on every machine and for any number of workers.

use model::Nanos;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::course::{Course, Leg};

/// Parts of an arrival that rounding may take or give.
const ROUNDING: f64 = 1e-6;

/// How arrivals are spread at a given rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// One after the other in equal steps.
    #[default]
    Even,
    /// Independently of each other, as people come: exponential gaps.
    Poisson,
}

/// The plan of an open load's arrivals, counted from the level's start.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    legs: Vec<Leg>,
    spacing: Spacing,
    /// Arrivals per second while it is measured, on average.
    mean_rate: f64,
    hold: Nanos,
}

impl Arrivals {
    /// The arrivals of a course that is reached by an even rise over `ramp` and kept at its first rate for `warmup`.
    /// `hold`: how long a steady course is measured.
    pub fn new(course: &Course, spacing: Spacing, ramp: Nanos, warmup: Nanos, hold: Nanos) -> Self {
        let first = course.first_rate();
        let leg = |from, to, lasts| Leg { from, to, lasts };
        let measured = match course {
            Course::Steady(rate) => vec![leg(*rate, *rate, hold)],
            Course::Legs(legs) => legs.clone(),
        };
        let arrivals: f64 = measured.iter().map(size).sum();
        let hold = measured
            .iter()
            .fold(Nanos::ZERO, |sum, leg| sum + leg.lasts);
        let mut legs = vec![leg(0.0, first, ramp), leg(first, first, warmup)];
        legs.extend(measured);
        legs.retain(|leg| leg.lasts > Nanos::ZERO);
        Self {
            legs,
            spacing,
            mean_rate: arrivals / hold.as_secs_f64(),
            hold,
        }
    }

    /// How long it is measured.
    pub fn hold(&self) -> Nanos {
        self.hold
    }

    /// Arrivals per second while it is measured, on average.
    pub fn mean_rate(&self) -> f64 {
        self.mean_rate
    }

    /// How they are spread.
    pub fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// All arrivals with their numbers from zero, in the order of time. `seed` matters for Poisson arrivals only.
    pub fn starts(&self, seed: u64) -> Starts {
        let mut starts = Starts {
            legs: self.legs.clone(),
            leg: 0,
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

/// The arrivals of a plan, one after the other.
#[derive(Clone, Debug)]
pub struct Starts {
    legs: Vec<Leg>,
    leg: usize,
    leg_start: Nanos,
    /// Arrivals of all legs before this one.
    before_leg: f64,
    number: u64,
    /// The next arrival is due where the integral passes this.
    point: f64,
    random: Option<Pcg64Mcg>,
}

impl Starts {
    /// A gap of a Poisson process of rate one, or of evenly spaced points.
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
        let leg = loop {
            let leg = self.legs.get(self.leg)?;
            let after = self.before_leg + size(leg);
            if self.point < after - ROUNDING {
                break leg;
            }
            self.before_leg = after;
            self.leg_start += leg.lasts;
            self.leg += 1;
        };
        let due = self.leg_start + time_to(leg, self.point - self.before_leg);
        let number = self.number;
        self.number += 1;
        // Counted from the number, so that evenly spaced arrivals gather no rounding error.
        self.point = match self.random {
            None => self.number as f64,
            Some(_) => self.point + self.gap(),
        };
        Some((number, due))
    }
}

/// Arrivals of one leg: the area under its rate.
fn size(leg: &Leg) -> f64 {
    f64::midpoint(leg.from, leg.to) * leg.lasts.as_secs_f64()
}

/// How far into the leg the integral of its rate reaches `count`: the root of `from·t + (to − from)/(2·lasts)·t²`, in
/// the form that is stable for falling, steady and rising rates.
fn time_to(leg: &Leg, count: f64) -> Nanos {
    let slope = (leg.to - leg.from) / leg.lasts.as_secs_f64();
    let root = (leg.from * leg.from + 2.0 * slope * count).max(0.0).sqrt();
    let divisor = leg.from + root;
    if count <= 0.0 || divisor <= 0.0 {
        return Nanos::ZERO;
    }
    Nanos::from_secs_f64(2.0 * count / divisor).min(leg.lasts)
}

#[cfg(test)]
mod tests;
