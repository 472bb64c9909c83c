//! The interface for the rest of the server. It runs code or states why it cannot.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use super::golang::{self, Library};
use super::language::{self, Language};
use super::launch::Launch;
use super::limits::Limits;
use super::machine::{self, Machine};
use super::program;
use super::queue::Queue;
use super::result::{Ending, RunResult};

/// Time added for creating and ending the sandboxes of all waiting programs.
const BESIDE: Duration = Duration::from_secs(15);

/// Runs code in sandboxes. Clones share one queue.
#[derive(Clone, Debug)]
pub struct Runner(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    machine: Result<Machine, String>,
    queue: Queue,
    go: OnceCell<Library>,
}

impl Runner {
    /// Examines this machine, which blocks for about 0.1 s. Never fails; [`Runner::available`] reports problems.
    pub fn start(limits: Limits) -> Self {
        Self::start_in(limits, &std::env::var_os("PATH").unwrap_or_default())
    }

    /// Does the same as [`Runner::start`], but searches for bubblewrap in `path` (in the format of `PATH`).
    pub fn start_in(limits: Limits, path: &OsStr) -> Self {
        let machine = machine::look(&limits, path);
        let queue = Queue::new(limits.running, limits.waiting);
        Self(Arc::new(Shared {
            limits,
            machine,
            queue,
            go: OnceCell::new(),
        }))
    }

    /// Whether code can be run. The error is a sentence for people that states what is missing and what to do.
    pub fn available(&self) -> Result<(), String> {
        self.0.machine.as_ref().map(drop).map_err(Clone::clone)
    }

    /// The names of the installed languages, as clients send them.
    pub fn languages(&self) -> &[&'static str] {
        self.0
            .machine
            .as_ref()
            .map_or(&[], |machine| &machine.languages)
    }

    /// Maximum time from a request to its result. Includes all programs that may be queued before it, the program
    /// itself, and the compilation of Go's standard library.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let limits = &self.0.limits;
        let running = limits.running.max(1);
        let rounds = (running + limits.waiting).div_ceil(running);
        let programs = limits
            .wall
            .saturating_mul(u32::try_from(rounds).unwrap_or(u32::MAX));
        let library = if self.languages().contains(&"go") {
            golang::limits(limits).wall
        } else {
            Duration::ZERO
        };
        programs.saturating_add(library).saturating_add(BESIDE)
    }

    /// Queues and runs `code`, within the time limit plus the wait in the queue. An unknown language means JavaScript,
    /// as clients expect. After the future has returned or was dropped, no process of the program is left. The first Go
    /// program waits until Go's standard library is compiled.
    pub async fn run(&self, language: &str, code: &str) -> RunResult {
        match self.tried(language::named(language), code).await {
            Ok(result) => result,
            Err(ending) => RunResult::refused(ending),
        }
    }

    async fn tried(&self, language: &'static Language, code: &str) -> Result<RunResult, Ending> {
        let Shared {
            limits,
            machine,
            queue,
            ..
        } = &*self.0;
        let machine = machine
            .as_ref()
            .map_err(|reason| Ending::NoSandbox(reason.clone()))?;
        if !machine.languages.contains(&language.name) {
            return Err(Ending::NoLanguage(language.name, language.package));
        }
        if code.len() > limits.code {
            return Err(Ending::CodeTooLong(limits.code));
        }
        let _turn = queue.turn().await.ok_or(Ending::Busy)?;
        let library = if language.name == "go" {
            Some(self.go(machine).await?)
        } else {
            None
        };
        let shown = library.map(|library| library.shown(false));
        let launch = Launch {
            bubblewrap: &machine.bubblewrap,
            limits,
            as_root: machine.as_root,
            groups: machine.groups.as_ref(),
            script: language.script,
            code: Some((language.file, code)),
            shown: shown.as_ref(),
        };
        Ok(program::run(&launch).await)
    }

    /// Returns Go's compiled standard library. The first call compiles it.
    async fn go(&self, machine: &Machine) -> Result<&Library, Ending> {
        let compile = || async {
            let broken = |reason: String| {
                Ending::Broken(format!("cannot compile Go's standard library: {reason}"))
            };
            let library =
                Library::empty(machine.as_root).map_err(|error| broken(error.to_string()))?;
            let launch = Launch {
                bubblewrap: &machine.bubblewrap,
                limits: &golang::limits(&self.0.limits),
                as_root: machine.as_root,
                groups: machine.groups.as_ref(),
                script: "exec go build -o program main.go",
                code: Some(("main.go", golang::PROGRAM)),
                shown: Some(&library.shown(true)),
            };
            let result = program::run(&launch).await;
            if result.success {
                Ok(library)
            } else {
                Err(broken(result.error))
            }
        };
        self.0.go.get_or_try_init(compile).await
    }
}
