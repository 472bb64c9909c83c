//! The options of a scenario, checked as a whole before the first byte is sent.
//!
//! The truth about names and defaults is `headcount.d.ts`; [`Options::from_json`] reads what a
//! scenario exported as `options` and reports everything that is wrong with it at once.

mod crowd;
mod limits;
mod load;
mod mix;
mod section;
mod source;
mod thresholds;
mod url;
mod values;
mod watch;

#[cfg(test)]
mod tests;

use std::net::IpAddr;

use model::Nanos;
use serde_json::Value;

pub use crowd::Grouping;
pub use limits::{Leftovers, ScriptLimits, Timeouts};
pub use load::{LevelLoad, Load, Once, OpenLoad};
pub use watch::Watch;

use crate::mix::Mix;
use crate::problem::Problems;
use crate::threshold::Threshold;
use section::Section;

/// Every option, as d.ts names them.
const KNOWN: [&str; 20] = [
    "target",
    "group",
    "groups",
    "load",
    "mix",
    "thresholds",
    "deadline",
    "settle",
    "timeouts",
    "headers",
    "insecure",
    "ca",
    "redirects",
    "repeat",
    "maxMessage",
    "leftovers",
    "watch",
    "source",
    "seed",
    "script",
];

/// What a run does. Every value has been checked; nothing is left to a default.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Base URL of the system under test: `http` or `https`, without user, query or fragment.
    pub target: Option<String>,
    /// Who belongs together.
    pub grouping: Grouping,
    /// How much load, and for how long.
    pub load: Load,
    /// The exported functions that make up the load; `None`: the default export alone.
    pub mix: Option<Mix>,
    /// Promises that every level must keep, in the user's order.
    pub thresholds: Vec<Threshold>,
    /// A delivery seen after this is late. More than zero.
    pub deadline: Nanos,
    /// How long what is in flight is waited for after the hold.
    pub settle: Nanos,
    /// Time limits by phase.
    pub timeouts: Timeouts,
    /// Headers that every request carries, in the user's order.
    pub headers: Vec<(String, String)>,
    /// Accept any TLS certificate.
    pub insecure: bool,
    /// PEM file with certificates to trust beside the machine's own.
    pub ca: Option<String>,
    /// Redirects that are followed.
    pub redirects: u32,
    /// Send an idempotent request once more when a kept-alive connection closes before any response.
    pub repeat: bool,
    /// The largest message or body accepted, in bytes.
    pub max_message: usize,
    /// What is asked before every level to see whether something is left over.
    pub leftovers: Option<Leftovers>,
    /// Seed of all random choices; `None`: the run makes a new one.
    pub seed: Option<u64>,
    /// Limits of the script itself.
    pub script: ScriptLimits,
    /// What of the target is looked at beside what its users feel.
    pub watch: Watch,
    /// Local addresses that users come from, in turn, none twice; empty: the kernel chooses.
    pub source: Vec<IpAddr>,
}

impl Options {
    /// Reads what a scenario exported as `options` (`null` counts as `{}`), overrides applied before.
    ///
    /// Fails with every problem found, each with its path.
    pub fn from_json(value: &Value) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let options = read(value, &mut problems);
        if problems.is_empty() {
            Ok(options)
        } else {
            Err(problems)
        }
    }
}

/// Reads on after a problem with the default in its place, so that all problems are found.
fn read(value: &Value, problems: &mut Problems) -> Options {
    let root = Section::root(value, &KNOWN, problems);
    let grouping = crowd::read(&root, problems);
    let load = load::read(&root.field("load"), &grouping, problems);
    let deadline = Nanos::from_secs(5);
    let settle = Nanos::from_secs(5);
    Options {
        target: root.field("target").read_some(problems, url::base),
        mix: mix::read(&root.field("mix"), problems),
        thresholds: thresholds::read(&root.field("thresholds"), problems),
        deadline: root
            .field("deadline")
            .read(problems, deadline, values::positive_duration),
        settle: root
            .field("settle")
            .read(problems, settle, values::duration),
        timeouts: limits::timeouts(&root.field("timeouts"), problems),
        headers: limits::headers(&root.field("headers"), problems),
        insecure: root.field("insecure").read(problems, false, values::flag),
        ca: root.field("ca").read_some(problems, values::path),
        redirects: root
            .field("redirects")
            .read(problems, 10, |v| values::whole(v, 0, 100)),
        repeat: root.field("repeat").read(problems, true, values::flag),
        max_message: root
            .field("maxMessage")
            .read(problems, 16_000_000, limits::message_size),
        leftovers: limits::leftovers(&root.field("leftovers"), problems),
        seed: root.field("seed").read_some(problems, values::seed),
        script: limits::script(&root.field("script"), problems),
        watch: watch::read(&root.field("watch"), problems),
        source: source::read(&root.field("source"), problems),
        grouping,
        load,
    }
}
