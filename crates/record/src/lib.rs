//! The saved run: all measurements of a run in one file, `run.json`.
//!
//! Reports, comparisons and audits are made from a [`Run`] alone, and only types of this crate are saved.
//!
//! This crate converts runs to text and back. It reads no clock, file, socket or environment variable, and never
//! computes a figure that the samples do not support.

mod agent;
mod check;
mod convergence;
mod deliveries;
mod encode;
mod failure;
mod finding;
mod funnel;
mod health;
mod hide;
mod issue;
mod judgement;
mod level;
mod limited;
mod limiter;
mod measured;
mod metric;
mod presence;
mod run;
mod streams;
mod summary;
mod target;
mod timings;
mod upgrade;
mod version;
mod window;

pub use agent::{Agent, AgentClock, AgentLoss};
pub use check::{BrokenIdentity, Inconsistency};
pub use convergence::Convergence;
pub use deliveries::{CutOff, Deliveries, Mismatch, Misplaced, OwnCopies};
pub use encode::{from_json, to_json};
pub use failure::{Example, Failure, note_failure, shortened};
pub use finding::{
    Advice, AllCores, Cause, Confidence, ConnectionCost, CpuQuota, DelayedAcknowledgement,
    Drifting, Evidence, FanOut, Finding, FixedConcurrency, FixedTimeout, GeneratorLimited,
    GrowingDescriptors, GrowingLatency, GrowingMemory, GrowingSessions, LockConvoy, OneAddress,
    PeriodicStalls, ResidualSessions, SaturatedPool, SaturatedThread, SingleWriter, SlowConsumers,
    SlowSetup, SynchronisedRetries, UniquenessCollisions, Unknown, UpstreamPool,
};
pub use funnel::{FirstFailure, FunnelStep, StepFunnel, Unfinished, path_name};
pub use health::{AgentUse, GeneratorUse, WorkerUse};
pub use issue::{
    DelayStatistic, DropCause, IssueCause, LateAt, Lateness, LevelIssue, NoneSucceeded, Note,
    Severity,
};
pub use judgement::{Counted, CountedKind, Forecast, Inconclusive, Observed, Outcome, Shortfall};
pub use level::{Level, Little, Load, Phases, Validity};
pub use limited::{Limited, LimitedBin, PerAddress, PerKey, Spread, StatedLimit};
pub use limiter::{LimitKey, LimiterKind, RateLimiter};
pub use measured::{Check, Iterations, Measured, Outside};
pub use metric::{Metric, MetricKind};
pub use presence::Presence;
pub use run::{
    FailedAround, Limits, Machine, Pool, Run, ScriptInfo, Setup, Sources, Teardown, ThresholdResult,
};
pub use streams::Streams;
pub use summary::summary;
pub use target::{
    BusiestThread, CgroupUse, DiskBytes, DiskWaits, ListenQueue, MemoryGrowth, ProcessUse, Scrapes,
    TargetEnd, TargetSample, TargetSource, TargetUse, ThreadUse, Upstream, WatchedMetric,
};
pub use timings::Timings;
pub use version::{KIND, ReadError, VERSION};
pub use window::{OpenWindow, Window};
