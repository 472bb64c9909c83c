//! Runs `setup`, `teardown` and the `leftovers` query around the levels. No level's figures include them.

use std::sync::Arc;

use model::Nanos;
use record::{Example, Failure, Measured, Note, Run, Setup, Teardown};
use script::ScriptFault;

use crate::ask;
use crate::audience::{AudienceCount, AudiencePlan};
use crate::control::Control;
use crate::level::{LevelPlan, SetupResult, SlotRange};
use crate::messages::{Command, Event, SetupOutcome};
use crate::notice::Notice;
use crate::outcome::RunError;
use crate::tls_port;

/// Time limit of each of `setup`, `teardown` and the connecting of the audiences.
const SETUP_LIMIT: Nanos = Nanos::from_secs(600);

impl Control<'_> {
    /// Queries the target for state left from an earlier run or level, if the scenario sets `leftovers`. A failed
    /// query adds a note to the record and does not stop the run.
    pub(crate) fn leftovers(&mut self, record: &mut Run) -> Option<f64> {
        let asked = self.config.options.leftovers.clone()?;
        let number = self
            .config
            .target
            .join(&asked.url)
            .map_err(|why| why.to_string())
            .and_then(|url| {
                let response = ask::get(&url, self.config.target_is_mine, &self.tls, self.clock)
                    .map_err(|why| why.to_string())?;
                let body: serde_json::Value =
                    serde_json::from_slice(&response.body).map_err(|why| why.to_string())?;
                body.pointer(&asked.at)
                    .and_then(serde_json::Value::as_f64)
                    .ok_or(format!("the response has no number at {}", asked.at))
            });
        match number {
            Ok(number) => Some(number),
            Err(why) => {
                record.notes.push(Note::LeftoversUnknown {
                    url: asked.url,
                    error: why,
                });
                None
            }
        }
    }

    /// Runs `setup` on worker 0 and records it. Without a `setup`, the result is empty.
    pub(crate) fn set_up(&mut self, record: &mut Run) -> Result<SetupResult, RunError> {
        if !self.config.scenario().is_some_and(|it| it.has_setup) {
            return Ok(SetupResult::default());
        }
        if self.stop.asked() > 0 {
            return Err(RunError::Usage("interrupted before setup".to_owned()));
        }
        (self.tell)(Notice::SettingUp);
        let began = self.clock.now();
        self.workers.order(0, Command::Setup);
        let mut outcome = self.setup_call("setup")?;
        if let Err(error) = &mut outcome.result {
            tls_port::explain_fault(&mut error.fault, &self.config, self.clock);
        }
        let ended = self.clock.now();
        record.setup = Some(setup_record(&outcome, ended - began));
        let value = outcome
            .result
            .map_err(|fault| ended_by("setup", fault, ended, record))?;
        Ok(SetupResult {
            value: value.map(Into::into),
            pool: outcome.pool,
        })
    }

    pub(crate) fn tear_down(
        &mut self,
        setup: Arc<SetupResult>,
        record: &mut Run,
    ) -> Result<(), RunError> {
        // A first Ctrl-C ends the levels, and `teardown` still runs. A second Ctrl-C skips `teardown`.
        let has_teardown = self.config.scenario().is_some_and(|it| it.has_teardown);
        if !has_teardown || self.stop.asked() > 1 {
            return Ok(());
        }
        let began = self.clock.now();
        self.workers.order(0, Command::Teardown(setup));
        let outcome = self.setup_call("teardown")?;
        let ended = self.clock.now();
        let measured = outcome.measured;
        record.teardown = Some(Teardown {
            took_s: (ended - began).as_secs_f64(),
            requests: measured.requests,
            failures: measured.failures,
            checks: measured.checks,
        });
        outcome
            .result
            .map(drop)
            .map_err(|fault| ended_by("teardown", fault, ended, record))
    }

    /// Connects the members of the passive audiences before a level. Returns how many listen.
    pub(crate) fn connect_audiences(
        &mut self,
        plan: &LevelPlan,
    ) -> Result<AudienceCount, RunError> {
        let mut count = AudienceCount::default();
        if self.config.audiences().is_empty() {
            return Ok(count);
        }
        let plan = Arc::new(AudiencePlan {
            level: plan.index,
            users: plan.load.users,
            setup: plan.setup.value.clone(),
            slots: SlotRange::of_all(self.workers.len()),
        });
        self.workers.order_all(Command::Audience(plan));
        for _ in 0..self.workers.len() {
            let what = "connecting the audience";
            count.add(self.until(SETUP_LIMIT, what, |event| match event {
                Event::AudienceReady(count) => Some(count),
                _ => None,
            })?);
        }
        Ok(count)
    }

    /// Waits until worker 0 reports that `setup` or `teardown` has ended.
    pub(crate) fn setup_call(&mut self, what: &str) -> Result<SetupOutcome, RunError> {
        self.until(SETUP_LIMIT, what, |event| match event {
            Event::AsideDone(outcome) => Some(*outcome),
            _ => None,
        })
    }

    /// Checks that the pool, if there is one, has a user for each user of the largest level. Users who shared accounts
    /// would generate a different load.
    pub(crate) fn check_pool(levels: &[LevelPlan]) -> Result<(), RunError> {
        let pool = levels.first().map_or(0, |plan| plan.setup.pool.len());
        let needed = levels.iter().map(|plan| plan.load.users).max().unwrap_or(0);
        if pool == 0 || pool >= needed as usize {
            return Ok(());
        }
        Err(RunError::Usage(format!(
            "the pool of `setup` has {pool} users, but the largest level needs {needed}: create more users, or lower the load"
        )))
    }
}

/// Records the error that ended `setup` or `teardown`, and converts it into the error of the run.
fn ended_by(what: &str, fault: ScriptFault, at: Nanos, record: &mut Run) -> RunError {
    record.script_faults.push(Failure {
        side: fault.fault.side,
        kind: fault.fault.kind,
        what: what.to_owned(),
        count: 1,
        first: Example {
            at_s: at.as_secs_f64(),
            detail: fault.fault.detail.clone(),
            location: fault.location.as_ref().map(ToString::to_string),
            frame: fault.frame.clone(),
            ..Example::default()
        },
    });
    RunError::Script(Box::new(fault))
}

fn setup_record(outcome: &SetupOutcome, took: Nanos) -> Setup {
    let Measured {
        requests,
        failures,
        checks,
        ..
    } = &outcome.measured;
    Setup {
        took_s: took.as_secs_f64(),
        users: outcome.pool.len() as u64,
        pools: outcome.pools.clone(),
        requests: requests.clone(),
        failed: outcome.pools.iter().map(|pool| pool.failed).sum(),
        failures: failures.clone(),
        checks: checks.clone(),
    }
}
