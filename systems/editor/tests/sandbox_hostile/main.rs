//! Programs that mean harm. Each is bounded by what the test asks for, should the sandbox not hold it.
//!
//! They run one after another. After each, no process of it is left on the machine, and the runner
//! that held it runs the next program.

#[cfg(test)]
mod amount;
#[cfg(test)]
mod attack;
#[cfg(test)]
mod escape;
#[cfg(test)]
mod reach;
#[cfg(test)]
mod sockets;
