//! The options of a scenario, checked as a whole before the first byte is sent.
//!
//! `headcount.d.ts` is authoritative for names and defaults. [`Options::from_json`] reads the `options` export of a
//! scenario and reports all problems at once.

mod client_certificate;
mod elsewhere;
mod grouping;
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

pub use client_certificate::ClientCertificateFiles;
pub use grouping::Grouping;
pub use limits::{Leftovers, ScriptLimits, Timeouts};
pub use load::{LevelLoad, Load, Once, OpenLoad};
pub use watch::Watch;

use crate::mix::Mix;
use crate::problem::Problems;
use crate::threshold::Threshold;
use section::Section;

/// The names of all options, as in `headcount.d.ts`.
const KNOWN: [&str; 23] = [
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
    "cert",
    "key",
    "http2",
    "redirects",
    "repeat",
    "maxMessage",
    "leftovers",
    "watch",
    "source",
    "seed",
    "script",
];

/// The options of a run. Every value is checked, and defaults are filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Base URL of the system under test: `http` or `https`, without user, query or fragment.
    pub target: Option<String>,
    /// How users form groups.
    pub grouping: Grouping,
    /// The load and its duration.
    pub load: Load,
    /// The exported functions that make up the load. `None` means the default export alone.
    pub mix: Option<Mix>,
    /// Thresholds that every level is checked against, in the user's order.
    pub thresholds: Vec<Threshold>,
    /// A delivery that takes longer than this is late. Always more than zero.
    pub deadline: Nanos,
    /// Grace period for deliveries and iterations in flight when the measured time ends.
    pub settle: Nanos,
    /// Time limits by phase.
    pub timeouts: Timeouts,
    /// Headers of every request, in the user's order.
    pub headers: Vec<(String, String)>,
    /// Whether to accept any TLS certificate.
    pub insecure: bool,
    /// PEM file with certificates to trust in addition to the machine's own.
    pub ca: Option<String>,
    /// The certificate that the users present when the target asks for one.
    pub client_certificate: Option<ClientCertificateFiles>,
    /// Whether requests and server-sent events use HTTP/2.
    pub http2: bool,
    /// Maximum number of redirects to follow.
    pub redirects: u32,
    /// Whether to repeat an idempotent request once when a kept-alive connection closes before any response.
    pub repeat: bool,
    /// Maximum size of a message or body, in bytes.
    pub max_message: usize,
    /// The query that looks for state left from an earlier run. It runs before every level.
    pub leftovers: Option<Leftovers>,
    /// Seed of all random choices. `None` means a new seed for each run.
    pub seed: Option<u64>,
    /// Memory and time limits of the script.
    pub script: ScriptLimits,
    /// Figures of the target that are watched in addition to the users' measurements.
    pub watch: Watch,
    /// Local addresses of the users, assigned round-robin, without duplicates. If empty, the kernel chooses the
    /// address.
    pub source: Vec<IpAddr>,
}

impl Options {
    /// Reads the `options` export of a scenario, with overrides already applied. `null` counts as `{}`.
    ///
    /// Fails with all problems found, each with its path.
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

/// Replaces an option that has a problem by its default and continues, so that all problems are found.
fn read(value: &Value, problems: &mut Problems) -> Options {
    let root = Section::root(value, &KNOWN, elsewhere::hint, problems);
    let grouping = grouping::read(&root, problems);
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
        client_certificate: client_certificate::read(&root, problems),
        http2: root.field("http2").read(problems, false, values::flag),
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
