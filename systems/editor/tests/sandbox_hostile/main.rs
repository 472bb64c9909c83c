//! Malicious programs. Each test limits the damage in case the sandbox fails.
//!
//! The tests run one after another. After each, none of its processes is left on the machine, and its runner can still
//! run the next program.

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
