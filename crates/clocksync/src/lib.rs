//! The offset between the monotonic clocks of two machines, its drift, and bounds on both.
//!
//! The bounds hold for any delay of the network, also if it differs between the directions. They rest on two facts: no
//! message arrives before it was sent, and the rate of a clock changes slowly.
//!
//! This crate reads no clock, socket or file.

mod drift;
mod exchange;
mod hull;
mod interval;
mod offset;
mod peer_clock;
mod window;

pub use drift::Drift;
pub use exchange::Exchange;
pub use interval::{Contradiction, OffsetInterval};
pub use offset::ClockOffset;
pub use peer_clock::PeerClock;
pub use window::Window;
