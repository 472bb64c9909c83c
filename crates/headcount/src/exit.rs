use std::process::ExitCode;

use engine::{PrepareError, RunError};
use fleet::{FleetError, RefusalKind};
use harness::HarnessError;
use model::{FaultKind, Verdict};
use script::ScriptError;

/// Exit codes of the program. The README documents them, and their meaning never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every threshold held.
    Passed = 0,
    /// A bug in headcount, or a failure of the machine it runs on.
    Bug = 1,
    /// Invalid arguments, options or files.
    Usage = 2,
    /// A mistake in the scenario: in its syntax or an import, or an error while it is loaded or in `setup`.
    Script = 3,
    /// The target could not be reached before the run started.
    Unreachable = 4,
    /// The run is inconclusive: a threshold lacks data, or the generator was the limit.
    Inconclusive = 98,
    /// A threshold was broken, or an audit found a contradiction that is impossible or unsupported.
    Failed = 99,
    /// Ctrl-C was pressed. The measurements so far are saved.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Passed => Self::Passed,
            Verdict::Failed => Self::Failed,
            Verdict::Inconclusive => Self::Inconclusive,
        }
    }
}

impl From<&RunError> for Exit {
    fn from(error: &RunError) -> Self {
        match error {
            RunError::Unreachable { fault, .. } | RunError::Endpoint { fault, .. }
                if fault.kind == FaultKind::NotAllowed =>
            {
                Self::Usage
            }
            RunError::Unreachable { .. } | RunError::Endpoint { .. } => Self::Unreachable,
            RunError::Script(_) => Self::Script,
            RunError::Usage(_) => Self::Usage,
            RunError::Generator(_) => Self::Bug,
            RunError::LostAgent { .. } | RunError::NotResumed { .. } => Self::Inconclusive,
        }
    }
}

impl From<&FleetError> for Exit {
    fn from(error: &FleetError) -> Self {
        match error {
            FleetError::Run(why) => why.into(),
            FleetError::Connect { .. }
            | FleetError::TooFewAgents { .. }
            | FleetError::NoAnswer { .. }
            | FleetError::Refused {
                kind: RefusalKind::Unreachable | RefusalKind::Busy,
                ..
            } => Self::Unreachable,
            FleetError::Refused {
                kind: RefusalKind::Script,
                ..
            } => Self::Script,
            FleetError::Url { .. }
            | FleetError::File { .. }
            | FleetError::Nats { .. }
            | FleetError::NameTaken { .. }
            | FleetError::StillRuns
            | FleetError::NoSuchAgent { .. }
            | FleetError::Version { .. }
            | FleetError::Launch(_)
            | FleetError::Refused {
                kind: RefusalKind::Usage,
                ..
            } => Self::Usage,
            FleetError::Refused {
                kind: RefusalKind::Machine,
                ..
            }
            | FleetError::System(_) => Self::Bug,
        }
    }
}

impl From<&HarnessError> for Exit {
    fn from(error: &HarnessError) -> Self {
        match error {
            HarnessError::System(_) => Self::Bug,
            HarnessError::Prepare { why, .. } => why.into(),
            HarnessError::Run { why, .. } => why.into(),
        }
    }
}

impl From<&PrepareError> for Exit {
    fn from(error: &PrepareError) -> Self {
        match error {
            PrepareError::Script(ScriptError::NotFound { .. } | ScriptError::Read { .. })
            | PrepareError::Options(_)
            | PrepareError::NoTarget
            | PrepareError::Unusable(_) => Self::Usage,
            PrepareError::Script(_) => Self::Script,
        }
    }
}
