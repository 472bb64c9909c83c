//! What the coordinator and the agents say to each other, and on which subjects.

use std::net::SocketAddr;

use engine::ShippedRun;
use model::Nanos;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The bucket of the agents that are there. Keys are names, values are [`Member`]s.
pub(crate) const MEMBERS: &str = "hc_members";
/// The object store of scenarios, by their hashes.
pub(crate) const BUNDLES: &str = "hc_bundles";

/// The stream of the messages between coordinators and agents in runs.
pub(crate) const RUNS: &str = "hc_runs";

/// Requests to prepare a run: [`Prepare`], answered with [`Prepared`].
pub(crate) fn prepare(agent: &str) -> String {
    format!("hc.agent.{agent}.prepare")
}

/// Requests for the time of an agent's clock, answered with [`Reading`].
pub(crate) fn clock(agent: &str) -> String {
    format!("hc.agent.{agent}.clock")
}

/// Renewals of the lease of all agents of a run: [`Lease`]. They are not stored, because an old one has no use.
pub(crate) fn lease(run: &str) -> String {
    format!("hc.lease.{run}")
}

/// Frames with commands to the workers of an agent.
pub(crate) fn commands(run: &str, agent: &str) -> String {
    format!("hc.run.{run}.to.{agent}")
}

/// Frames with events of the workers of an agent.
pub(crate) fn events(run: &str, agent: &str) -> String {
    format!("hc.run.{run}.from.{agent}")
}

/// Frames with entries of a run's journal, from which another coordinator can resume it.
pub(crate) fn journal(run: &str) -> String {
    format!("hc.run.{run}.journal")
}

/// The subjects of the messages that are stored: commands, events and journals of all runs.
pub(crate) fn stored() -> Vec<String> {
    vec!["hc.run.>".to_owned()] // one subject, because a reader of a whole run needs a part of one
}

/// The subjects of a run.
pub(crate) fn of_run(run: &str) -> String {
    format!("hc.run.{run}.>")
}

/// An agent, as it announces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Differs for each start of an agent.
    pub(crate) incarnation: u64,
    pub(crate) version: String,
    pub(crate) cores: Option<u32>,
    pub(crate) memory_mb: Option<u64>,
    /// Where it answers questions for the time over UDP: at the address from which it reaches the NATS server.
    pub(crate) clock_address: Option<SocketAddr>,
    /// When its clock started, by the wall clock of its machine, in RFC 3339 format.
    pub(crate) started_at: String,
    /// Whether it takes part in a run.
    pub(crate) is_busy: bool,
}

/// A run, as an agent needs it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Prepare {
    /// Identifies the run. Nobody else can guess it.
    pub(crate) run: String,
    /// The incarnation that is meant.
    pub(crate) incarnation: u64,
    /// SHA-256 of the scenario, its name in the object store.
    pub(crate) bundle: String,
    pub(crate) settings: ShippedRun,
    /// By how many nanoseconds the agent's clock is ahead of the run's clock.
    pub(crate) clock_offset: i64,
    pub(crate) lease: Lease,
}

/// The answer of an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Prepared {
    /// The agent has started this number of workers.
    Ready {
        workers: u32,
    },
    Refused {
        kind: RefusalKind,
        why: String,
    },
}

/// Why an agent does not take part in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RefusalKind {
    /// It takes part in another run.
    Busy,
    /// It cannot reach the target.
    Unreachable,
    /// The target or an option is not allowed on the agent, or impossible there.
    Usage,
    /// The scenario fails there.
    Script,
    /// It lacks resources.
    Machine,
}

/// The permission to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// The end of the permission, on the run's clock.
    pub(crate) until: Nanos,
}

/// The times at which an agent received a request and answered it, on its own clock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(crate) received: Nanos,
    pub(crate) replied: Nanos,
}

pub(crate) fn encode<T: Serialize>(message: &T) -> Result<bytes::Bytes, String> {
    let text = serde_json::to_vec(message);
    text.map(Into::into).map_err(|why| why.to_string())
}

pub(crate) fn decode<T: DeserializeOwned>(message: &[u8]) -> Result<T, String> {
    serde_json::from_slice(message).map_err(|why| why.to_string())
}
