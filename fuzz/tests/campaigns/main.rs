//! Runs each target for a while, with mutations of its seeds and of the inputs in `corpus/`. The default is one second
//! each.
//!
//! - `FUZZ_SECONDS=60` sets a longer time.
//! - `FUZZ_SEED=7` repeats an earlier run.
//! - `FUZZ_INPUT=path cargo test -p fuzz response` tries one saved input.
//!
//! A failing input is saved, and its path is printed. After the fix, it belongs in `corpus/<target>/`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a campaign is a test: it fails with its line, says its seed, and is bounded by the clock"
)]

use std::env;

use fuzz::TARGETS;
use peak_alloc::PeakAlloc;

mod campaign;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

fn hold(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    campaign::run(target);
}

macro_rules! campaigns {
    ($($name:ident),+ $(,)?) => {
        $(#[test]
        fn $name() {
            hold(stringify!($name));
        })+

        #[test]
        fn every_target_has_its_campaign() {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),+]);
        }
    };
}

campaigns!(
    response, redirect, cookies, answers, frames, handshake, session, packets, events, lines,
    published, replies, commands, stamps, pointer, options, thresholds, units, courses, run,
    histogram, typescript, urls, exposition,
);
