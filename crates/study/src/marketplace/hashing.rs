//! Figures of password hashing: its cost, the resulting maximum rate, and the results with each number of threads.

use minijinja::context;
use minijinja::value::Value;
use record::Run;

use super::figures::{AtOnce, HASHES, at_once, levels};

/// The cost of hashing in a part, and the cores available for it.
pub(super) struct Hashing {
    /// The time of the fastest login without other load, in seconds. Other activity can only lengthen this time.
    pub(super) cost_s: f64,
    /// The number of cores on which the marketplace may run.
    pub(super) cores: usize,
}

impl Hashing {
    /// Computes the cost from consecutive logins before the measurement.
    pub(super) fn of(run: Option<&Run>) -> Option<Self> {
        let alone = run?.setup.as_ref()?.requests.get("auth.login alone")?;
        let cores = levels(run).find_map(|level| level.target.as_ref()?.cores.as_ref());
        Some(Self {
            cost_s: alone.service.min()?.as_secs_f64(),
            cores: cores?.len(),
        })
    }

    /// Returns the maximum number of passwords per second. No number of threads can exceed it.
    pub(super) fn limit_per_s(&self) -> f64 {
        self.cores as f64 / self.cost_s
    }

    /// Returns the minimum time in which the passwords of these trades can be hashed, in seconds.
    pub(super) fn least_s(&self, trades: u64) -> f64 {
        (trades * HASHES) as f64 / self.limit_per_s()
    }

    /// Returns the figures, keyed by the names that the templates use.
    pub(super) fn figures(&self) -> Value {
        context! {
            cores => self.cores,
            cost_ms => self.cost_s * 1e3,
            limit_per_s => self.limit_per_s(),
        }
    }
}

/// The results of one number of hashing threads with one number of concurrent trades.
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
