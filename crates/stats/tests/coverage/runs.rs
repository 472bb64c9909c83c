//! Simulated runs: for each operation its end in seconds and its duration in milliseconds.

use rand_core::{RngCore as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

pub(crate) struct Random(Pcg64Mcg);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A uniform random number above 0 and at most 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 1.0) / (1_u64 << 53) as f64
    }

    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    /// The times of independent random events, `per_s` per second on average.
    pub(crate) fn arrivals(&mut self, seconds: f64, per_s: f64) -> Vec<f64> {
        let mut at = self.exponential() / per_s;
        let mut all = Vec::new();
        while at < seconds {
            all.push(at);
            at += self.exponential() / per_s;
        }
        all
    }
}

pub(crate) struct Run {
    pub(crate) values: Vec<(f64, f64)>,
}

pub(crate) fn independent(random: &mut Random, seconds: f64, per_s: f64) -> Run {
    let arrivals = random.arrivals(seconds, per_s);
    Run {
        values: arrivals
            .into_iter()
            .map(|at| (at, random.exponential()))
            .collect(),
    }
}

/// Log-normal times. Their logarithm drifts with the correlation time `tau_s`, plus independent
/// noise.
pub(crate) fn drifting(random: &mut Random, seconds: f64, per_s: f64, tau_s: f64) -> Run {
    let (mut level, mut last) = (random.normal(), 0.0);
    let mut values = random
        .arrivals(seconds, per_s)
        .into_iter()
        .map(|at| (at, 0.0))
        .collect::<Vec<_>>();
    for (at, value) in &mut values {
        let kept = (-(*at - last) / tau_s).exp();
        last = *at;
        level = kept * level + (1.0 - kept * kept).sqrt() * random.normal();
        *value = (level + 0.3 * random.normal()).exp();
    }
    Run { values }
}

/// The true quantile of [`drifting`], whose logarithm has variance 1.09.
pub(crate) fn drifting_quantile(q: f64) -> f64 {
    let z = match q {
        0.5 => 0.0,
        0.95 => 1.644_854,
        0.99 => 2.326_348,
        other => panic!("no table holds {other}"),
    };
    (z * 1.09_f64.sqrt()).exp()
}

/// An M/M/1 queue that is in its steady state from the start.
pub(crate) fn queue(random: &mut Random, seconds: f64, per_s: f64, busy: f64) -> Run {
    let service_s = busy / per_s;
    let waits = random.uniform() < busy;
    let mut backlog_s = if waits {
        random.exponential() * service_s / (1.0 - busy)
    } else {
        0.0
    };
    let mut last = 0.0;
    let values = random.arrivals(seconds, per_s).into_iter().map(|at| {
        backlog_s = (backlog_s - (at - last)).max(0.0) + random.exponential() * service_s;
        last = at;
        (at, backlog_s * 1e3)
    });
    Run {
        values: values.collect(),
    }
}

/// Random bursts. At the start of a burst, operations take 20 ms longer; this falls to 0 at its
/// end.
pub(crate) fn bursts(
    random: &mut Random,
    seconds: f64,
    per_s: f64,
    (every_s, long_s): (f64, f64),
) -> Run {
    let starts = random.arrivals(seconds + long_s, 1.0 / every_s);
    let starts: Vec<f64> = starts.into_iter().map(|at| at - long_s).collect();
    let mut first = 0;
    let values = random.arrivals(seconds, per_s).into_iter().map(|at| {
        while starts.get(first).is_some_and(|start| start + long_s < at) {
            first += 1;
        }
        let under_way = starts[first..].iter().take_while(|start| **start <= at);
        let more: f64 = under_way
            .map(|start| 20.0 * (1.0 - (at - start) / long_s))
            .sum();
        (at, random.exponential() + more)
    });
    Run {
        values: values.collect(),
    }
}

/// A run with one phase in which all operations take 20 ms longer.
pub(crate) fn slow_phase(random: &mut Random, seconds: f64, per_s: f64, long_s: f64) -> Run {
    let start = random.uniform() * (seconds - long_s);
    let mut run = independent(random, seconds, per_s);
    for (at, value) in &mut run.values {
        if (start..start + long_s).contains(at) {
            *value += 20.0;
        }
    }
    run
}

/// Messages with 1 to `2 * receivers - 1` deliveries. All deliveries of a message take equally
/// long.
pub(crate) fn fan_out(random: &mut Random, seconds: f64, per_s: f64, receivers: usize) -> Run {
    let mut values = Vec::new();
    for at in random.arrivals(seconds, per_s) {
        let copies =
            1 + (random.uniform() * (2 * receivers - 1) as f64) as usize % (2 * receivers - 1);
        let value = random.exponential();
        values.extend(std::iter::repeat_n((at, value), copies));
    }
    Run { values }
}
