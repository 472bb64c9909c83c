//! The registry as a program, used by independent clients.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod inboxes;
#[cfg(test)]
mod instances;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod latency;
#[cfg(test)]
mod multicasts;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod receiver;
#[cfg(test)]
mod restarts;
#[cfg(test)]
mod served;
#[cfg(test)]
mod tenants;
