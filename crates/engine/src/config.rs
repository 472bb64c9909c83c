use plan::Options;
use url::Url;

use crate::program::{Program, Scenario};

/// Everything that a run needs, checked before the first byte is sent.
#[derive(Debug)]
pub struct RunConfig {
    /// What the users do.
    pub program: Program,
    /// Its options, read.
    pub options: Options,
    /// Its options as written, with what the command line changed: for the record.
    pub options_json: serde_json::Value,
    /// The system under test.
    pub target: Url,
    /// The user states that the target is theirs, wherever it lies.
    pub target_is_mine: bool,
    /// Worker threads.
    pub workers: u32,
    /// Cores to pin the workers to, in turn; empty: the kernel chooses.
    pub cores: Vec<usize>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Tells this run's messages from those of others.
    pub run_id: u32,
    /// The target's process, where it is known better than by its port.
    pub target_pid: Option<u32>,
    /// PEM certificates to trust, as read from `options.ca`.
    pub ca_pem: Option<Vec<u8>>,
}

impl RunConfig {
    /// The scenario, if a script is run.
    pub(crate) fn scenario(&self) -> Option<&Scenario> {
        match &self.program {
            Program::Scenario(scenario) => Some(scenario),
            Program::Plain(_) => None,
        }
    }

    /// The target with the scheme that was written: `ws://` where that is all that is spoken.
    pub(crate) fn target_as_written(&self) -> String {
        let target = self.target.as_str();
        match (&self.program, target.split_once(':')) {
            (Program::Plain(plain), Some((_, rest))) => format!("{}:{rest}", plain.url.scheme()),
            _ => target.to_owned(),
        }
    }

    /// The seed of a level's arrivals, counted from 0.
    pub fn arrivals_seed(&self, level: u32) -> u64 {
        self.seed_of(level, u32::MAX)
    }

    /// The seed of one user: the same for the same seed, level and number, whatever else happens.
    pub(crate) fn seed_of(&self, level: u32, number: u32) -> u64 {
        // SplitMix64's finaliser, so that neighbouring numbers get unrelated sequences.
        let mut mixed = self.seed
            ^ (u64::from(level) << 32 | u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
