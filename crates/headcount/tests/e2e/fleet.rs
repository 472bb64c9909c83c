//! A fleet of agents on this machine: its runs equal those of one process, and an agent or a coordinator that ends or
//! stands still is noticed.

mod broken;
mod same;
mod truth;
