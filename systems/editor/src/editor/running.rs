use std::sync::Arc;

use serde::Serialize;
use tokio::task::spawn_blocking;

use super::Editor;
use crate::bus::News;
use crate::refusal::Refusal;
use crate::room::Room;
use crate::run::{Ending, Limits, RunResult, Runner};
use crate::sio::packet;

/// `code-output`.
#[derive(Serialize)]
struct Output<'a> {
    output: &'a RunResult,
}

impl Editor {
    /// Runs code in a sandbox; everybody in the room sees what comes of it.
    pub(crate) async fn run(
        &self,
        room: &Arc<Room>,
        language: &str,
        code: &str,
    ) -> Result<(), Refusal> {
        if !self.config.run_code {
            return Err(Refusal::CannotRun("it is switched off".to_owned()));
        }
        let runner = self.runner().await?;
        runner.available().map_err(Refusal::CannotRun)?;
        self.counters.runs.inc();
        let result = runner.run(language, code).await;
        if matches!(result.ending, Ending::Busy | Ending::NoSandbox(_)) {
            return Err(Refusal::CannotRun(result.error));
        }
        let output = packet::event("code-output", &Output { output: &result });
        room.state().tell(&output, None, &self.counters);
        self.bus().tell(&room.name, &News::Tell { packet: &output });
        Ok(())
    }

    /// What runs code; the first who asks finds out what this machine can do.
    async fn runner(&self) -> Result<&Runner, Refusal> {
        let limits = Limits {
            wall: self.config.run_time,
            running: self.config.run_slots as usize,
            ..Limits::default()
        };
        let start = async || spawn_blocking(move || Runner::start(limits)).await;
        let started = self.runner.get_or_try_init(start).await;
        started.map_err(|error| Refusal::CannotRun(error.to_string()))
    }
}
