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

/// Maximum size of a `code-output` event in bytes, without the program's output.
const AROUND: usize = 256;

/// The payload of `code-output`.
#[derive(Serialize)]
struct Output<'a> {
    output: &'a RunResult,
}

/// The languages that can be run, and the maximum time of a run.
#[derive(Debug)]
pub(crate) struct Runnable {
    /// Names as clients send them.
    pub(crate) languages: Vec<&'static str>,
    /// Maximum time from the request to the result.
    pub(crate) longest: Duration,
}

/// Creates the code runner from the configuration.
pub(super) fn runner(config: &RunConfig) -> OnDemand {
    OnDemand::new(Limits {
        wall: config.run_time,
        running: config.run_slots as usize,
        ..Limits::default()
    })
}

impl Editor {
    /// Runs code in a sandbox, and sends the result to everyone in the room.
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
        // A program may write more than fits into a message, so truncate the result to the maximum message size.
        let result = result.cut_to(self.limits.max_message as usize - AROUND);
        let output = packet::event("code-output", &Output { output: &result });
        room.state().tell(&output, None, &self.counters);
        self.bus().tell(&room.name, &News::Tell { packet: &output });
        Ok(())
    }

    /// Returns the languages that can be run. Fails if running code is disabled or impossible.
    pub(crate) async fn runnable(&self) -> Result<Runnable, Refusal> {
        let runner = self.available_runner().await?;
        Ok(Runnable {
            languages: runner.languages().to_vec(),
            longest: runner.longest(),
        })
    }

    async fn available_runner(&self) -> Result<Runner, Refusal> {
        if !self.config.run_code {
            return Err(Refusal::CannotRun("running code is disabled".to_owned()));
        }
        let runner = self.runner.runner().await;
        let runner = runner.map_err(|error| Refusal::CannotRun(error.to_string()))?;
        runner.available().map_err(Refusal::CannotRun)?;
        Ok(runner)
    }
}
