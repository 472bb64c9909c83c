use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Editor;
use crate::bus::News;
use crate::config::RunConfig;
use crate::refusal::Refusal;
use crate::room::Room;
use crate::run::{Ending, Limits, OnDemand, RunResult, Runner};
use crate::sio::packet;

/// Bytes of a `code-output` beside what a program wrote, at most.
const AROUND: usize = 256;

/// `code-output`.
#[derive(Serialize)]
struct Output<'a> {
    output: &'a RunResult,
}

/// What can be run here, and how long an answer may take.
#[derive(Debug)]
pub(crate) struct Runnable {
    /// Names as clients send them.
    pub(crate) languages: Vec<&'static str>,
    /// From asking to the answer, at most.
    pub(crate) longest: Duration,
}

/// What runs code, as configured.
pub(super) fn runner(config: &RunConfig) -> OnDemand {
    OnDemand::new(Limits {
        wall: config.run_time,
        running: config.run_slots as usize,
        ..Limits::default()
    })
}

impl Editor {
    /// Runs code in a sandbox; everybody in the room sees what comes of it.
    pub(crate) async fn run(
        &self,
        room: &Arc<Room>,
        language: &str,
        code: &str,
    ) -> Result<(), Refusal> {
        let result = self.available_runner().await?.run(language, code).await;
        if matches!(result.ending, Ending::Busy | Ending::NoSandbox(_)) {
            return Err(Refusal::CannotRun(result.error));
        }
        if result.ending.was_run() {
            self.counters.runs.inc();
        }
        // A program writes more than a client may; what comes of it is held to the same size.
        let result = result.cut_to(self.limits.max_message as usize - AROUND);
        let output = packet::event("code-output", &Output { output: &result });
        room.state().tell(&output, None, &self.counters);
        self.bus().tell(&room.name, &News::Tell { packet: &output });
        Ok(())
    }

    /// What can be run here; an error where nothing can.
    pub(crate) async fn runnable(&self) -> Result<Runnable, Refusal> {
        let runner = self.available_runner().await?;
        Ok(Runnable {
            languages: runner.languages().to_vec(),
            longest: runner.longest(),
        })
    }

    async fn available_runner(&self) -> Result<Runner, Refusal> {
        if !self.config.run_code {
            return Err(Refusal::CannotRun("it is switched off".to_owned()));
        }
        let runner = self.runner.runner().await;
        let runner = runner.map_err(|error| Refusal::CannotRun(error.to_string()))?;
        runner.available().map_err(Refusal::CannotRun)?;
        Ok(runner)
    }
}
