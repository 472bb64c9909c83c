use model::Fault;
use record::{AgentLoss, Run};
use script::ScriptFault;
use thiserror::Error;

/// The reason why a run could not start or finish.
#[derive(Debug, Error)]
pub enum RunError {
    /// The target is not reachable before the start.
    #[error("cannot reach the target {target}: {fault}")]
    Unreachable {
        /// The target's URL.
        target: String,
        /// The cause.
        fault: Fault,
    },
    /// The target's Prometheus endpoint does not respond before the start.
    #[error(
        "cannot reach the Prometheus endpoint {url} (`watch.metrics`, --watch-metrics): {fault}"
    )]
    Endpoint {
        /// The endpoint's URL.
        url: String,
        /// The cause.
        fault: Fault,
    },
    /// The script cannot continue.
    #[error("{0}")]
    Script(Box<ScriptFault>),
    /// The options are impossible to satisfy, or the user interrupted the run.
    #[error("{0}")]
    Usage(String),
    /// A problem of the generator.
    #[error("{0}")]
    Generator(String),
    /// An agent of the fleet is lost, and the run may not continue without it.
    #[error("lost agent `{name}`: {}", why_lost(*.loss))]
    LostAgent {
        /// The agent's name.
        name: String,
        /// How it was lost.
        loss: AgentLoss,
    },
    /// A run on a fleet was interrupted, and no agent is there to continue it.
    #[error("no agents are free to continue the run; number of levels that did not run: {missing}")]
    NotResumed {
        /// Number of levels that did not run.
        missing: usize,
    },
}

fn why_lost(loss: AgentLoss) -> &'static str {
    match loss {
        AgentLoss::Silent => "nothing came from it for 3 s",
        AgentLoss::LeaseLapsed => "its lease lapsed, so it ended its load",
        AgentLoss::MessagesLost => "messages from it are missing",
    }
}

/// The measurements, and the error that ended the run early, if any.
#[derive(Debug)]
pub struct Outcome {
    /// Everything that was measured until the end.
    pub record: Run,
    /// The error that ended the run early.
    pub error: Option<RunError>,
}
