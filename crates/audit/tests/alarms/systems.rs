//! Simulated systems with known behaviour, and the time of every request.

/// A portable random generator: a seed gives the same run on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.next().ln()
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.next().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.next()).cos()
    }

    pub(crate) fn among<T: Copy>(&mut self, all: &[T]) -> T {
        all[((self.next() * all.len() as f64) as usize).min(all.len() - 1)]
    }
}

/// Distribution of the service time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Service {
    Constant,
    Exponential,
    /// A long tail.
    LogNormal,
    /// A tail without a variance, cut off at 1,000 times the mean.
    Pareto,
    /// Mostly answered from a cache; one request in fifty is not.
    Cached,
}

pub(crate) const SERVICES: [Service; 5] = [
    Service::Constant,
    Service::Exponential,
    Service::LogNormal,
    Service::Pareto,
    Service::Cached,
];

impl Service {
    fn time(self, mean: f64, dice: &mut Dice) -> f64 {
        match self {
            Self::Constant => mean,
            Self::Exponential => dice.exponential(mean),
            Self::LogNormal => 0.3 * mean * (1.5 * dice.normal()).exp(),
            Self::Pareto => (0.25 * mean / dice.next().powf(1.0 / 1.3)).min(1000.0 * mean),
            Self::Cached => mean * if dice.next() < 0.02 { 30.0 } else { 0.4 },
        }
    }
}

/// The load on the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Users of a closed load. 0: an open load.
    pub(crate) users: usize,
    /// The users' mean pause, or the mean time between two arrivals of an open load, in milliseconds.
    pub(crate) pause_ms: f64,
    pub(crate) length_ms: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct System {
    pub(crate) servers: usize,
    pub(crate) service: Service,
    pub(crate) mean_ms: f64,
    pub(crate) failing: f64,
    /// Length of a stall that occurs every ten seconds, in milliseconds.
    pub(crate) stall_ms: f64,
}

/// One request that ended within the run. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) began: f64,
    pub(crate) took: f64,
    /// The user's pause after it.
    pub(crate) pause: f64,
    pub(crate) failed: bool,
}

pub(crate) struct Run {
    pub(crate) load: Load,
    pub(crate) requests: Vec<Request>,
}

impl Run {
    pub(crate) fn sorted(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.requests.iter().map(|request| request.took).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    pub(crate) fn failed(&self) -> usize {
        self.requests
            .iter()
            .filter(|request| request.failed)
            .count()
    }
}

/// Simulates a run. Requests in flight at the end are not in the result, as with most tools.
pub(crate) fn run(load: Load, system: System, dice: &mut Dice) -> Run {
    let mut free = vec![0.0f64; system.servers];
    let mut serve = |asked: f64, dice: &mut Dice| {
        let server = (0..free.len())
            .min_by(|one, other| free[*one].total_cmp(&free[*other]))
            .unwrap();
        let mut begin = asked.max(free[server]);
        let in_cycle = begin % 10_000.0;
        if system.stall_ms > 0.0 && in_cycle < system.stall_ms {
            begin += system.stall_ms - in_cycle;
        }
        free[server] = begin + system.service.time(system.mean_ms, dice);
        // The time on the network, in both directions.
        free[server] + 0.05 - asked
    };
    let mut requests = Vec::new();
    let mut wakes = vec![0.0f64; load.users.max(1)];
    loop {
        let who = (0..wakes.len())
            .min_by(|one, other| wakes[*one].total_cmp(&wakes[*other]))
            .unwrap();
        let began = wakes[who];
        if began > load.length_ms {
            return Run { load, requests };
        }
        let took = serve(began, dice);
        let pause = if load.pause_ms > 0.0 {
            dice.exponential(load.pause_ms)
        } else {
            0.0
        };
        wakes[who] = began + pause + if load.users > 0 { took } else { 0.0 };
        let failed = dice.next() < system.failing;
        if began + took <= load.length_ms {
            requests.push(Request {
                began,
                took,
                pause,
                failed,
            });
        }
    }
}
