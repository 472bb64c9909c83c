use std::sync::Arc;

use plan::Options;
use script::host::AudienceSpec;
use url::Url;

use crate::certificates::Certificates;
use crate::program::{Program, Scenario};

/// Everything that a run needs, checked before the first byte is sent.
#[derive(Debug)]
pub struct RunConfig {
    /// The program that the users run.
    pub program: Program,
    /// The parsed options.
    pub options: Options,
    /// The options as JSON, including changes on the command line, for the record.
    pub options_json: serde_json::Value,
    /// The system under test.
    pub target: Url,
    /// Whether the user states that the target is theirs (`--target-is-mine`). The target may then
    /// have any address.
    pub target_is_mine: bool,
    /// Number of worker threads.
    pub workers: u32,
    /// Cores to which the workers are pinned, round-robin. If empty, the kernel chooses.
    pub cores: Vec<usize>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Distinguishes this run from other runs.
    pub run: RunIdentity,
    /// The target's process ID, if the user specified it. Otherwise headcount finds the process by the target's port.
    pub target_pid: Option<u32>,
    /// The certificates that the options name.
    pub certificates: Certificates,
    /// Whether each request and message is printed.
    pub trace: bool,
}

/// Distinguishes a run from other runs.
#[derive(Debug)]
pub struct RunIdentity {
    /// Part of every user and group name, so that the names of different runs differ.
    pub tag: String,
    /// Part of every stamp, so that the messages of different runs differ.
    pub id: u32,
    /// The version of the target, as the user named it.
    pub target_version: Option<String>,
}

impl RunConfig {
    /// The scenario, if the run has a script.
    pub(crate) fn scenario(&self) -> Option<&Scenario> {
        match &self.program {
            Program::Scenario(scenario) => Some(scenario),
            Program::Plain(_) => None,
        }
    }

    /// The passive audiences of the scenario.
    pub(crate) fn audiences(&self) -> &[AudienceSpec] {
        let scenario = self.scenario();
        scenario.map_or(&[][..], |scenario| &scenario.audiences)
    }

    /// The names of the scenarios of a mix; empty without one.
    pub(crate) fn scenario_names(&self) -> &[Arc<str>] {
        let mix = self.options.mix.as_ref();
        mix.map_or(&[][..], plan::Mix::names)
    }

    /// The index of the scenario that an iteration of a closed load runs; 0 without a mix. `groups` is the number of
    /// groups of the level.
    pub(crate) fn scenario_in_turn(&self, group: u32, iteration: u32, groups: u32) -> usize {
        let mix = self.options.mix.as_ref();
        mix.map_or(0, |mix| mix.pick_in_turn(group, iteration, groups))
    }

    /// The index of the scenario that an arrival of an open load runs; 0 without a mix.
    pub(crate) fn scenario_of(&self, number: u64) -> usize {
        let mix = self.options.mix.as_ref();
        mix.map_or(0, |mix| mix.pick(number))
    }

    /// The target, with the scheme that users connect with, such as `ws://`.
    pub(crate) fn target_as_written(&self) -> String {
        let target = self.target.as_str();
        match (&self.program, target.split_once(':')) {
            (Program::Plain(plain), Some((_, rest))) => format!("{}:{rest}", plain.url.scheme()),
            _ => target.to_owned(),
        }
    }

    /// The seed of a level's arrivals. Levels are numbered from 0.
    pub fn arrivals_seed(&self, level: u32) -> u64 {
        self.seed_of(level, u32::MAX)
    }

    /// The seed of one user. It depends only on the run's seed, the level and the user's number.
    pub(crate) fn seed_of(&self, level: u32, number: u32) -> u64 {
        // The finaliser of SplitMix64 gives neighbouring numbers unrelated sequences.
        let mut mixed = self.seed
            ^ (u64::from(level) << 32 | u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
