//! A hand-made record with many long names.

use model::{FaultKind, Nanos, Side, Verdict};
use record::{FirstFailure, FunnelStep, Iterations, Level, Run};

use crate::common::parts::{failure, frame, level, requests, threshold, times};

/// 27 operations and 14 steps. Nine operations and a step fail, three operations and a step are slow, and every
/// threshold is broken.
pub(crate) fn shop() -> Run {
    let mut level = level(0, 200);
    level.load.groups = 200;
    level.measured.iterations = Iterations {
        planned: 300,
        started: 300,
        succeeded: 290,
        failed: 10,
        time: times(290, 60.0),
        ..Iterations::default()
    };
    add_requests(&mut level);
    add_steps(&mut level);
    let conditions = [
        "p50 < 1ms",
        "p95 < 1ms",
        "p99 < 1ms",
        "max < 1ms",
        "failed == 0",
    ];
    let broken = |condition| threshold(0, ("requests", condition), "7", Some(false));
    Run {
        verdict: Verdict::Failed,
        thresholds: conditions.into_iter().map(broken).collect(),
        levels: vec![level],
        ..frame()
    }
}

fn add_requests(level: &mut Level) {
    const FAILING: u64 = 9;
    let measured = &mut level.measured;
    for number in 0..24 {
        let name = format!("GET /api/v1/organizations/:id/departments/:id/members/{number}");
        let mut one = requests(300, 3.0);
        if number < FAILING {
            let time = Nanos::from_millis(1);
            (0..=number).for_each(|_| one.answered(time, time, true));
            let detail = "HTTP 500 Internal Server Error";
            let failed = failure(Side::Target, FaultKind::Status, &name, number + 1, detail);
            measured.failures.push(failed);
        }
        measured.requests.insert(name, one);
    }
    for (slow, ms) in [("export", 900.0), ("report", 700.0), ("search", 500.0)] {
        let name = format!("POST /api/v1/organizations/:id/departments/:id/slow/{slow}");
        measured.requests.insert(name, requests(300, ms));
    }
}

/// Step 3 is slow, and step 5 fails because of the first failing request.
fn add_steps(level: &mut Level) {
    let measured = &mut level.measured;
    let step = |number: u64| FunnelStep {
        path: vec![format!(
            "choose article {number} of those on the list and put it in the cart"
        )],
        begun: 300,
        reached: 300,
        passed: 300,
        passed_time: times(300, if number == 3 { 800.0 } else { 4.0 }),
        places: number,
        ..FunnelStep::default()
    };
    let mut steps: Vec<FunnelStep> = (0..14).map(step).collect();
    let failing = &mut steps[5];
    (failing.passed, failing.failed) = (290, 10);
    failing.passed_time = times(290, 4.0);
    failing.failed_time = times(10, 1.0);
    let cause = &measured.failures[0];
    measured.funnel.first_failures.push(FirstFailure {
        step: Some(failing.path.clone()),
        side: cause.side,
        kind: cause.kind,
        status: Some(500),
        what: cause.what.clone(),
        failed: 10,
        succeeded: 0,
        first: cause.first.clone(),
    });
    measured.funnel.steps = steps;
}
