//! Runs users' programs in sandboxes.
//!
//! [`Runner`] checks once whether bubblewrap works on this machine and which languages are installed. Each program then
//! gets its own sandbox: no network, no host files except read-only system directories, and limits on all resources.
//! When the result is returned, no process or file of the sandbox is left. Without a working sandbox, no program is
//! run, and [`Runner::available`] states why.

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
mod shown;
mod usage;
mod user;

pub use limits::Limits;
pub use on_demand::OnDemand;
pub use result::{Ending, RunResult};
pub use runner::Runner;
