//! Messages between control and workers: a few per second, none per request.

use std::sync::Arc;

use delivery::Broadcasts;
use model::Nanos;
use record::{Measured, OpenWindow, Pool};
use script::ScriptFault;
use script::host::LogLevel;
use serde::{Deserialize, Serialize};

use crate::audience::{AudienceCount, AudiencePlan};
use crate::in_flight::Awaited;
use crate::level::{LevelPlan, PooledUser, SetupResult};
use crate::limited::LimitedSamples;
use crate::little::AtWork;
use crate::recorder::Unmeasured;
use crate::self_monitoring::SelfMonitoring;
use crate::whole;

/// A command from control to a worker.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Run the scenario's `setup`.
    Setup,
    /// Connect the members of the passive audiences, before a level starts.
    Audience(Arc<AudiencePlan>),
    /// The groups of all workers have settled. They have sent this number of messages to each channel of the audiences.
    SettleAudiences(Arc<Vec<u64>>),
    /// Run this worker's groups of a level.
    Level(Arc<LevelPlan>),
    /// Run the scenario's `teardown`.
    Teardown(Arc<SetupResult>),
    /// Send a copy of the measurements so far.
    Snapshot,
    /// The measured time ends now; settle and drain as usual.
    EndHold,
    /// Stop at once and send the measurements so far.
    Abort,
    /// The agent's lease is valid until this time. Workers of this process have no lease that ends.
    Lease(Nanos),
    /// End the thread.
    Exit,
}

/// An event that a worker reports to control.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Event {
    /// The script is loaded, and the worker reads commands.
    Ready,
    /// Each member of the audiences listens or has failed to connect.
    AudienceReady(AudienceCount),
    /// The groups of this worker have settled. They have sent this number of messages to each channel of the audiences.
    GroupsSettled(Vec<u64>),
    /// One second of the level, for the time series and the live line.
    Window {
        second: u64,
        window: Box<OpenWindow>,
        /// Deliveries that this worker has found to be lost so far.
        lost: u64,
        busy: f64,
        /// Operations for which the worker still waits after the measured time.
        awaited: Awaited,
    },
    /// The measurements so far, as control requested.
    Snapshot(#[serde(with = "whole")] Box<Measured>),
    /// The measurements so far, sent without a request in case the worker never finishes.
    Copy(#[serde(with = "whole")] Box<Measured>),
    /// The level is over on this worker.
    LevelDone(Box<LevelOutcome>),
    /// `setup` or `teardown` ended.
    AsideDone(Box<SetupOutcome>),
    /// A line of the script's `console`.
    Log(LogLevel, String),
    /// The lease lapsed while a level was running, so the worker has ended its load.
    Lapsed,
    /// The run cannot continue.
    Fatal(Box<Fatal>),
}

/// The reason why a run cannot continue.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Fatal {
    /// A fault of the script.
    Script(ScriptFault),
    /// A problem of the generator or its machine.
    Generator(String),
}

/// CPU waits of a worker in the measured time: the worker was ready to run, but had no CPU.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CpuWait {
    /// Waiting time as a share of the measured time.
    pub(crate) share: f64,
    /// Waiting time as a share of the time in which the worker ran or was ready to run.
    pub(crate) starved: f64,
    /// Mean length of a wait.
    pub(crate) each: Nanos,
}

/// The measurements of one worker in one level.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct LevelOutcome {
    #[serde(with = "whole")]
    pub(crate) measured: Box<Measured>,
    /// What was sent to passive audiences, and what their members received.
    pub(crate) broadcasts: Broadcasts,
    pub(crate) monitoring: SelfMonitoring,
    /// Share of the measured time in which the worker did not wait.
    pub(crate) busy: f64,
    pub(crate) cpu_wait: Option<CpuWait>,
    pub(crate) gc_pause_ms_max: Option<f64>,
    pub(crate) unmeasured: Unmeasured,
    pub(crate) limited: LimitedSamples,
    pub(crate) at_work: AtWork,
    pub(crate) duration_s: f64,
    pub(crate) settle_s: f64,
    pub(crate) drain_s: f64,
}

/// The result of `setup` or `teardown`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SetupOutcome {
    pub(crate) result: Result<Option<String>, ScriptFault>,
    pub(crate) pool: Vec<PooledUser>,
    pub(crate) pools: Vec<Pool>,
    pub(crate) measured: Measured,
}
