//! A part of the grid of misbehaviour. It prints its seed; `HEADCOUNT_GRID_SEED` sets another one, and
//! `HEADCOUNT_GRID_CELLS` the number of cells.

use serde_json::Value;

use crate::harness::{Ended, Lab};

const CELLS: &str = "150";

/// Returns an environment variable, or the fallback.
fn asked(name: &str, fallback: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| fallback.to_owned())
}

fn grid(more: &[&str]) -> (Ended, Value) {
    let args = [&["selftest", "--thorough", "--json", "--quiet"], more].concat();
    let ended = Lab::new().headcount(&args);
    let report = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|why| panic!("no JSON ({why}): {} {}", ended.stdout, ended.stderr));
    (ended, report)
}

#[test]
fn no_verdict_is_wrong_in_the_grid_of_misbehaviour() {
    let seed = asked("HEADCOUNT_GRID_SEED", "20261122");
    let cells = asked("HEADCOUNT_GRID_CELLS", CELLS);
    println!("HEADCOUNT_GRID_SEED={seed}");
    let (ended, report) = grid(&["--seed", &seed, "--cells", &cells]);
    assert_eq!(
        report["wrong"],
        Value::Array(Vec::new()),
        "seed {seed}: {report:#}"
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(report["all"]["cells"].to_string(), cells);
    // Without this check, a tool without any verdict would pass. Cells disturbed by a busy machine are counted
    // separately.
    let count = |name: &str| report["all"][name].as_u64().unwrap();
    assert!(count("inconclusive") * 10 < count("decided"), "{report:#}");
}

#[test]
fn one_cell_is_repeated_by_its_name() {
    let (ended, report) = grid(&["--only", "once-ws-room/duplicate/7"]);
    assert_eq!(ended.code, Some(0), "{report:#}");
    assert_eq!(report["all"]["cells"], 1);
    assert_eq!(report["by_misbehaviour"]["duplicate"]["cells"], 1);
    let refused =
        Lab::new().headcount(&["selftest", "--thorough", "--only", "nothing-of-that-name"]);
    refused.refused(2, &["nothing-of-that-name", "closed-http-get"]);
}
