//! A fleet: one run on many machines, coordinated by NATS.
//!
//! [`serve`] is an agent: it announces itself, waits for work, and outlives runs. [`assemble`] finds the agents of a run,
//! sends them the scenario and returns them as an [`engine::Fleet`], on which `engine::run_on_fleet` runs as on its own
//! threads. A fleet runs the plan of one machine: levels, groups, users, rows and arrivals are those of one machine.
//!
//! An agent may send only while its lease is valid, which the coordinator renews. So all load ends if the coordinator
//! ends, or if an agent cannot be reached.

mod access;
mod agent;
mod bundle;
mod clock;
mod collect;
mod connect_failure;
mod coordinator;
mod error;
mod frames;
mod inbox;
mod interrupted;
mod lease;
mod local;
mod membership;
mod nats;
mod outbox;
mod protocol;
mod share;

pub use access::{ACCESS_VARIABLES, CertificateFiles, NatsAccess};
pub use agent::{AgentOptions, AgentState, serve};
pub use coordinator::{Agents, FleetOptions, assemble};
pub use error::FleetError;
pub use interrupted::{forget_runs, read_interrupted};
pub use local::LocalFleet;
pub use protocol::RefusalKind;
