//! Generates the load: a worker per core, users and their connections, pacing, recording, the phases of a run.
//!
//! [`run`] takes a checked [`RunConfig`] and returns the record. Workers share nothing while a level runs: each has
//! its own event loop, script engine, users, ledgers and recorder. Their measurements are merged at the end of the
//! level.
//!
//! This crate prints nothing, and reads time in one place (`Clock`).

#[macro_use]
mod registry;

mod arrival;
mod ask;
mod audience;
mod base;
mod blank_level;
mod blank_record;
mod busy;
mod certificates;
mod clock;
mod config;
mod control;
mod convergence;
mod deliveries;
mod dial;
mod driver;
#[cfg(test)]
mod empty_world;
mod events;
mod evidence;
mod filter;
mod forecast;
mod funnel;
mod generator_figures;
mod host;
mod http;
mod in_flight;
mod inconsistency;
mod judge;
mod lease;
mod level;
mod level_limit;
mod level_run;
mod level_state;
mod limited;
mod link;
mod little;
mod live;
mod loud;
mod merge;
mod messages;
mod nats;
mod net;
mod news;
mod notice;
mod observe;
mod observed;
mod open;
mod outcome;
mod owner;
mod paced;
mod paced_stream;
mod people;
mod percentile;
mod place;
mod pool;
mod prepare;
mod program;
mod protocol;
mod protocols;
mod quota;
mod react;
mod readiness;
mod receipt;
mod recorder;
mod redis;
mod refused;
mod remote;
mod rescue;
mod run;
mod run_tag;
mod secrets;
mod self_monitoring;
mod settling;
mod setup;
mod shared_connections;
mod shipment;
mod shortfall;
mod snapshot;
mod socket;
mod socketio;
mod sources;
mod spawn;
mod starting;
mod steps;
mod stop;
mod stopping;
mod threads;
mod tickers;
mod timers;
mod tls_port;
mod trace;
mod unique_rows;
mod unknown_name;
mod user_states;
mod validity;
mod watcher;
mod whole;
mod windows;
mod worker;
mod worker_parts;
mod workers;
mod world;

#[cfg(feature = "counted")]
pub use arrival::counted;
pub use certificates::Certificates;
pub use clock::Clock;
pub use config::{RunConfig, RunIdentity};
pub use notice::{InFlight, LatestSecond, LevelDone, LevelStarted, Live, Notice, Second};
pub use outcome::{Outcome, RunError};
pub use prepare::{PrepareError, Settings, prepare, prepare_plain, prepare_shipped};
pub use program::{Plain, Program, Scenario, Send, Shared};
pub use remote::{AgentWorkers, Fleet, FromFleet, Interrupted, Stored, exit_order};
pub use run::{close_interrupted, resume_on_fleet, run, run_on_fleet};
pub use shipment::{Shipment, ShippedRun};
pub use stop::Stop;
