//! Records with a known cause, healthy ones under the same load, and near-misses that must stay without a finding.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "small numbers, which floats hold exactly"
)]

mod acknowledgement;
mod collisions;
mod concurrency;
mod connecting;
mod consumers;
mod cpu;
mod drift;
mod fan_out;
mod generator;
mod levels;
mod limits;
mod locks;
mod memory;
mod ports;
mod residue;
mod retries;
mod scalability;
mod setup;
mod stalls;
mod timeout;
mod upstream;
mod writer;

use record::{Cause, Finding, Level, Run};

/// The findings of a run with these levels.
fn findings(levels: Vec<Level>) -> Vec<Finding> {
    let levels = levels.into_iter().enumerate();
    capacity::findings(&Run {
        levels: levels
            .map(|(index, level)| Level { index, ..level })
            .collect(),
        ..Run::default()
    })
}

/// The only finding of a run with these levels.
fn only(levels: Vec<Level>) -> Finding {
    let mut findings = findings(levels);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

fn causes(levels: Vec<Level>) -> Vec<Cause> {
    let found = findings(levels).into_iter();
    found.map(|finding| finding.cause).collect()
}
