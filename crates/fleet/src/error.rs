use std::path::PathBuf;

use engine::RunError;
use harness::LaunchError;
use thiserror::Error;

use crate::protocol::RefusalKind;

/// Why a fleet cannot be used.
#[derive(Debug, Error)]
pub enum FleetError {
    /// The URL of the NATS server is invalid.
    #[error("`{url}` is not the URL of a NATS server: {why}")]
    Url {
        /// The URL, without credentials.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file with credentials for the NATS server cannot be used.
    #[error("{option} {}: {why}", file.display())]
    File {
        /// The option that names the file.
        option: &'static str,
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The NATS server cannot be reached, or refuses the connection.
    #[error("cannot connect to NATS at {url}: {why}")]
    Connect {
        /// The URL, without credentials.
        url: String,
        /// The cause.
        why: String,
    },
    /// The NATS server lacks something, such as JetStream.
    #[error("cannot {what} over NATS: {why}")]
    Nats {
        /// What was tried.
        what: &'static str,
        /// The cause.
        why: String,
    },
    /// An agent of this name has joined already.
    #[error("an agent named `{name}` has joined already: choose another --name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// There are too few agents.
    #[error(
        "{found} of {wanted} agents are free: start more with `headcount agent --nats URL`, or wait for other runs to end"
    )]
    TooFewAgents {
        /// Number of free agents.
        found: usize,
        /// Number of agents that the run needs.
        wanted: usize,
    },
    /// An agent that has a weight does not take part.
    #[error("--weights: agent `{name}` does not take part in this run; agents: {agents}")]
    NoSuchAgent {
        /// The name.
        name: String,
        /// The agents that take part.
        agents: String,
    },
    /// An agent runs another version.
    #[error(
        "agent `{name}` runs headcount {theirs}, but this is headcount {ours}: use one version everywhere"
    )]
    Version {
        /// The agent.
        name: String,
        /// Its version.
        theirs: String,
        /// Our version.
        ours: &'static str,
    },
    /// An agent does not run its part.
    #[error("agent `{name}` cannot take part: {why}")]
    Refused {
        /// The agent.
        name: String,
        /// The kind of the reason.
        kind: RefusalKind,
        /// The reason.
        why: String,
    },
    /// An agent does not answer.
    #[error("agent `{name}` does not answer")]
    NoAnswer {
        /// The agent.
        name: String,
    },
    /// The run that is to be resumed has not ended.
    #[error(
        "the run is still in progress: its agents are sending messages. Stop its coordinator first"
    )]
    StillRuns,
    /// The run cannot be split among agents.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The processes of a local fleet cannot be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The system lacks resources.
    #[error("cannot start: {0}")]
    System(#[from] std::io::Error),
}

impl FleetError {
    pub(crate) fn nats(what: &'static str) -> impl FnOnce(String) -> Self {
        move |why| Self::Nats { what, why }
    }
}
