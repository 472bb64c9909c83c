//! The registry as a program, used by independent clients.

mod conformance;
mod faults;
mod inboxes;
mod instances;
mod latency;
mod multicasts;
mod operations;
mod receiver;
mod restarts;
mod served;
mod tenants;
