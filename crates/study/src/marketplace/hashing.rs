//! Passwords: the cost of one, the rate that it allows, and the results of a number of threads.

use minijinja::context;
use minijinja::value::Value;
use record::Run;

use super::figures::{AtOnce, HASHES, at_once, levels};

/// The hashing of a part, as configured.
pub(super) struct Hashing {
    /// The time of the fastest login without other load, in seconds. Other activity could only add to it.
    pub(super) cost_s: f64,
    /// The number of cores on which the marketplace may run.
    pub(super) cores: usize,
}

impl Hashing {
    /// Computed from the consecutive logins before the measurement.
    pub(super) fn of(run: Option<&Run>) -> Option<Self> {
        let alone = run?.setup.as_ref()?.requests.get("auth.login alone")?;
        let cores = levels(run).find_map(|level| level.target.as_ref()?.cores.as_ref());
        Some(Self {
            cost_s: alone.service.min()?.as_secs_f64(),
            cores: cores?.len(),
        })
    }

    /// The number of passwords per second that no number of threads can exceed.
    pub(super) fn limit_per_s(&self) -> f64 {
        self.cores as f64 / self.cost_s
    }

    /// The time that the passwords of these trades take at that limit, in seconds.
    pub(super) fn least_s(&self, trades: u64) -> f64 {
        (trades * HASHES) as f64 / self.limit_per_s()
    }

    /// The figures by the names that the templates use.
    pub(super) fn figures(&self) -> Value {
        context! {
            cores => self.cores,
            cost_ms => self.cost_s * 1e3,
            limit_per_s => self.limit_per_s(),
        }
    }
}

/// The results of one number of threads at one number of trades.
pub(super) struct Threads {
    pub(super) count: &'static str,
    pub(super) hashing: Hashing,
    pub(super) at: AtOnce,
}

pub(super) fn threads(run: Option<&Run>, count: &'static str, trades: u64) -> Option<Threads> {
    Some(Threads {
        count,
        hashing: Hashing::of(run)?,
        at: at_once(run, trades)?,
    })
}
