//! A fleet on this machine, to try it: a NATS server and agents, which end with this process.

use std::path::Path;

use harness::{ChildProcess, NatsServer};

use crate::access::ACCESS_VARIABLES;
use crate::error::FleetError;

/// A NATS server and agents as child processes. They end when dropped, or when this process ends.
#[derive(Debug)]
pub struct LocalFleet {
    /// Before the server, so that they end first.
    _agents: Vec<ChildProcess>,
    nats: NatsServer,
}

impl LocalFleet {
    /// Starts this number of agents. `exe` is headcount. Call it on the main thread: the kernel ends the processes when
    /// the thread that started them ends.
    pub fn start(exe: &Path, agents: usize, allows_any_target: bool) -> Result<Self, FleetError> {
        let nats = NatsServer::with_jetstream(exe)?;
        let start = |number: usize| {
            let name = format!("local-{number}");
            let mut arguments = vec!["agent".to_owned(), "--nats".to_owned(), nats.url()];
            arguments.extend(["--name".to_owned(), name]);
            if allows_any_target {
                arguments.push("--allow-any-target".to_owned());
            }
            // The credentials of another server would not open this one, or their files may be missing.
            ChildProcess::start_self(exe, &arguments, &ACCESS_VARIABLES)
        };
        let agents = (1..=agents).map(start).collect::<std::io::Result<_>>()?;
        Ok(Self {
            _agents: agents,
            nats,
        })
    }

    /// The URL of the NATS server.
    pub fn nats(&self) -> String {
        self.nats.url()
    }
}
