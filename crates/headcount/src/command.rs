//! One module per command, and the modules `generator` and `harness`, which several commands share.

pub(crate) mod agent;
pub(crate) mod audit;
pub(crate) mod baseline;
pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod completions;
#[cfg(feature = "systems")]
pub(crate) mod demo;
pub(crate) mod end_with_parent;
pub(crate) mod find;
pub(crate) mod fleet;
pub(crate) mod generator;
#[cfg(feature = "systems")]
pub(crate) mod harness;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod report;
pub(crate) mod run;
#[cfg(feature = "systems")]
pub(crate) mod selftest;
#[cfg(feature = "systems")]
pub(crate) mod serve;
#[cfg(feature = "systems")]
pub(crate) mod study;
