//! Real peers with shifted clocks, over real sockets and links of random quality (`e2e/links`).

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

use std::path::Path;
use std::process::Command;

use clocksync::{ClockOffset, Exchange, Window};
use model::Nanos;
use serde_json::Value;

const TRIALS: usize = 50;
const PEERS: usize = 4;

/// A peer in one trial.
struct Trial {
    shift: ClockOffset,
    window: Window,
}

fn trials(seed: &str) -> Vec<Trial> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/links/trials.py");
    let mut python = Command::new("python3");
    python.arg(script).args([&TRIALS.to_string(), seed]);
    let output = python.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(read).collect()
}

fn read(line: &str) -> Trial {
    let value: Value = serde_json::from_str(line).unwrap();
    let mut window = Window::default();
    for times in value["exchanges"].as_array().unwrap() {
        let time = |index: usize| Nanos(times[index].as_u64().unwrap());
        window.add(Exchange {
            sent: time(0),
            received: time(1),
            replied: time(2),
            returned: time(3),
        });
    }
    Trial {
        shift: ClockOffset(value["shift"].as_i64().unwrap()),
        window,
    }
}

#[test]
#[ignore = "needs root and takes half a minute: cargo test -p clocksync --test links -- --ignored --nocapture"]
fn the_offsets_of_four_shifted_clocks_are_within_their_bounds_in_50_of_50_trials() {
    let trials = trials("1");
    assert_eq!(trials.len(), TRIALS * PEERS);
    let (mut largest_error, mut largest_share) = (Nanos::ZERO, 0.0_f64);
    for trial in &trials {
        assert!(trial.window.len() > 20, "{}", trial.window.len());
        let clock = trial.window.peer_clock(trial.window.drift()).unwrap();
        let error = (clock.interval.offset() - trial.shift).abs();
        let bound = clock.interval.bound();
        assert!(error <= bound, "{} {error} {bound}", trial.shift);
        largest_error = largest_error.max(error);
        largest_share = largest_share.max(error.as_secs_f64() / bound.as_secs_f64());
    }
    println!("largest error: {largest_error}; largest share of its bound: {largest_share:.2}");
    // The links delay one direction more than the other, so the bounds are needed.
    assert!(largest_share > 0.3);
}
