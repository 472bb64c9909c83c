//! The shape of `--json` is stable, because users' scripts read it.

mod common;

use record::{Level, Run, summary};
use serde_json::Value;

#[test]
fn a_run_in_which_everything_was_measured() {
    insta::assert_json_snapshot!(summary(&common::run()));
}

#[test]
fn what_was_not_measured_is_null_and_never_zero() {
    let run = Run {
        levels: vec![Level::default()],
        ..Run::default()
    };
    insta::assert_json_snapshot!(summary(&run));
}

#[test]
fn a_percentile_among_the_time_outs_is_null() {
    let mut run = common::run();
    let request = run.levels[0]
        .measured
        .requests
        .get_mut("POST /bridge/chat")
        .unwrap();
    request.count += 100;
    request.failed += 100;
    request.timed_out += 100;
    let figures = &summary(&run)["levels"][0]["requests"]["by_name"]["POST /bridge/chat"];
    assert_eq!(figures["p99_ms"], Value::Null);
    assert_eq!(figures["max_ms"], Value::Null);
    assert!(
        figures["p50_ms"]
            .as_f64()
            .is_some_and(|p50| (20.0..22.0).contains(&p50))
    );
}
