use std::thread::available_parallelism;

use anyhow::Context as _;
use harness::Harness;

use crate::command::generator::fresh_seed;

/// Assigns the last core to the generator and all others to the system. On a single-core machine they share the core.
pub(crate) fn harness(seed: Option<u64>) -> anyhow::Result<Harness> {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    let (system_cores, generator_cores) = match cores {
        0 | 1 => (Vec::new(), Vec::new()),
        cores => ((0..cores - 1).collect(), vec![cores - 1]),
    };
    Ok(Harness {
        exe: std::env::current_exe().context("cannot find the file of this program")?,
        seed: seed.map_or_else(fresh_seed, Ok)?,
        system_cores,
        generator_cores,
    })
}
