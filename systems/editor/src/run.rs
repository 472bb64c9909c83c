//! Runs what people wrote, in a sandbox only.
//!
//! [`Runner`] finds out once whether bubblewrap works on this machine and which languages are there. Each
//! program then gets a sandbox of its own: no network, no file of the host but read-only system
//! directories, limits on everything, and nothing of it left when the result is out. Where no sandbox
//! works nothing is run, and [`Runner::available`] says why.

mod capture;
mod cut;
mod filter;
mod golang;
mod group;
mod language;
mod launch;
mod limits;
mod machine;
mod on_demand;
mod program;
mod queue;
mod result;
mod runner;
mod sandbox;
mod usage;

pub use limits::Limits;
pub use on_demand::OnDemand;
pub use result::{Ending, RunResult};
pub use runner::Runner;
