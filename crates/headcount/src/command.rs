//! One module per command, and `stage`, which some of them share.

pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod init;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod selftest;
pub(crate) mod serve;
pub(crate) mod stage;
pub(crate) mod study;
