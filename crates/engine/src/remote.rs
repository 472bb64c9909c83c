//! Workers on other machines: the agents of a fleet run them, and control sees them as its own.
//!
//! Commands and events travel as bytes, which `fleet` carries and does not read. The plan of a level does not travel: an
//! agent makes it from the options, and gets its number, its start and the slots that the agent runs.

mod agent;
mod crew;
mod interrupted;
mod journal;
mod machine;
mod travel;

pub use agent::AgentWorkers;
pub(crate) use crew::RemoteWorkers;
pub use crew::{Fleet, FromFleet, exit_order};
pub use interrupted::{Interrupted, Stored};
pub(crate) use journal::{Began, Entry, Resumed};
pub(crate) use machine::MachineUse;
