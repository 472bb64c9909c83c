//! The live page of a run of ten hours, and the updates that its server would send.

use std::fs;
use std::path::Path;

use model::LevelPhase;
use record::{Level, Run, Window};
use report::{Live, LiveEnd, LiveLevel, LiveRun, LiveSecond};
use serde_json::{Value, json};

use crate::kinds;

const TEN_HOURS: u32 = 36_000;
/// Number of seconds at the end of the ten hours that the page receives one by one.
const LAST: u32 = 120;

fn second(number: u32) -> Window {
    let wave = 1.0 + f64::from(number % 17) / 10.0;
    Window {
        start_s: number.into(),
        users: 200,
        requests: 400 + u64::from(number % 40),
        failed: u64::from(number % 9 == 2),
        p50_ms: Some(2.0 * wave),
        p95_ms: Some(9.0 * wave),
        p99_ms: Some(20.0 * wave),
        max_ms: Some(40.0 * wave),
        ..Window::default()
    }
}

fn state(level: usize, elapsed_s: u32) -> Live {
    Live {
        level,
        levels: 3,
        users: 200,
        phase: LevelPhase::Measurement,
        elapsed_s: elapsed_s.into(),
        total_s: Some(TEN_HOURS.into()),
        busy_percent: Some(40.0),
        lost: Some(u64::from(elapsed_s) / 100),
        ..Live::default()
    }
}

fn plan(level: &Level) -> LiveLevel {
    LiveLevel {
        load: level.load.clone(),
        started_s: level.started_s.unwrap(),
        measured_s: (0.0, level.phases.duration_s),
    }
}

/// A run with two levels that are over, in the third of which `seconds` have passed.
fn after(seconds: u32) -> LiveRun {
    let mut all = kinds::twenty_levels();
    let mut run = LiveRun::default();
    run.begin(Run {
        levels: Vec::new(),
        thresholds: Vec::new(),
        ..all.clone()
    });
    run.warn("a threshold <b>will</b> have too few samples".to_owned());
    for (index, level) in all.levels.drain(..3).enumerate() {
        run.start_level(&plan(&level));
        if index == 2 {
            break;
        }
        run.show(state(index + 1, 1));
        for window in &level.series {
            let second = LiveSecond {
                window: *window,
                busy_percent: Some(30.0),
                target_cpu_percent: None,
            };
            run.add(u32::try_from(index).unwrap() + 1, second);
        }
        let results = all.thresholds.iter().filter(|one| one.level == index);
        run.end_level(level, results.cloned().collect());
    }
    (0..seconds).for_each(|number| pass(&mut run, number));
    run
}

fn pass(run: &mut LiveRun, number: u32) {
    run.show(state(3, number));
    let second = LiveSecond {
        window: second(number),
        busy_percent: Some(f64::from(number % 60)),
        target_cpu_percent: Some(f64::from(number % 80)),
    };
    run.add(3, second);
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

#[test]
fn each_second_is_sent_once_and_a_reload_gets_everything() {
    let mut run = after(100);
    let change = run.change();
    pass(&mut run, 100);
    let update = value(&run.update(change));
    let level = &update["levels"][0];
    assert_eq!((&level["index"], &level["from"]), (&json!(2), &json!(100)));
    assert_eq!(level["series"]["operations"], json!([420]));
    assert_eq!(update["finished"], Value::Null, "sent before");
    assert_eq!(update["warnings"], Value::Null, "sent before");
    assert_eq!(
        update["state"]["latest"]["p95_ms"],
        json!(second(100).p95_ms)
    );
    assert_eq!(value(&run.update(run.change()))["levels"], json!([]));
    for after in [0, run.change() + 1] {
        let all = value(&run.update(after));
        assert_eq!(all["levels"].as_array().unwrap().len(), 3);
        assert_eq!(
            all["levels"][2]["series"]["start_s"]
                .as_array()
                .unwrap()
                .len(),
            101
        );
        assert_eq!(
            all["finished"]["data"]["levels"].as_array().unwrap().len(),
            2
        );
        assert_eq!(all["finished"]["data"]["levels"][0]["status"], "held");
        assert!(
            all["finished"]["tables"]
                .as_str()
                .unwrap()
                .contains("<table")
        );
    }
}

#[test]
fn the_targets_cpu_is_in_each_second_and_lost_deliveries_are_complete_when_a_level_ends() {
    let mut run = after(100);
    let update = value(&run.update(0));
    assert_eq!(update["state"]["latest"]["target_cpu_percent"], 19.0);
    let cpu = &update["levels"][2]["series"]["target_cpu_percent"];
    assert_eq!(
        cpu.as_array().unwrap()[..3],
        [0.0, 1.0, 2.0].map(Value::from)
    );
    assert_eq!(update["state"]["live"]["lost"], 0);
    let losses = kinds::over_time(crate::common::runs::with_losses());
    let level = losses.levels.last().unwrap();
    let deliveries = level.measured.deliveries.values();
    let lost: u64 = deliveries.map(record::Deliveries::lost_count).sum();
    run.end_level(level.clone(), Vec::new());
    assert!(lost > 0);
    assert_eq!(value(&run.update(0))["state"]["live"]["lost"], lost);
}

#[test]
fn the_points_of_all_levels_together_are_bounded() {
    let mut run = LiveRun::default();
    let level = &kinds::twenty_levels().levels[0];
    for number in 1..=40 {
        run.start_level(&plan(level));
        for at in 0..2000 {
            let second = LiveSecond {
                window: second(at),
                ..LiveSecond::default()
            };
            run.add(number, second);
        }
    }
    let all = value(&run.update(0));
    let levels = all["levels"].as_array().unwrap();
    let seconds = |level: &Value| {
        let seconds = level["series"]["seconds"].as_array().unwrap().iter();
        seconds.map(|one| one.as_u64().unwrap()).sum::<u64>()
    };
    assert!(levels.iter().all(|level| seconds(level) == 2000));
    let points = levels
        .iter()
        .map(|level| level["series"]["seconds"].as_array().unwrap().len());
    assert!(points.sum::<usize>() <= 6000);
}

#[test]
fn the_end_is_due_with_its_verdict_and_then_with_the_report() {
    let mut run = after(3);
    let change = run.change();
    run.end(&LiveEnd::of(&kinds::twenty_levels(), None));
    let ended = value(&run.update(change));
    assert!(ended["end"]["verdict"].as_str().unwrap().contains("<h1>"));
    assert_eq!(
        (&ended["end"]["last"], run.is_over()),
        (&json!(false), false)
    );
    let change = run.change();
    run.close(Some("run/report.html".to_owned()));
    let last = value(&run.update(change));
    assert_eq!(last["end"]["report"], "run/report.html");
    assert_eq!((&last["end"]["last"], run.is_over()), (&json!(true), true));
}

/// Writes the page after ten hours, and its updates: everything until two minutes before, and each second from then on.
pub(crate) fn write(folder: &Path) {
    let mut run = after(TEN_HOURS - LAST);
    let mut updates = vec![value(&run.update(0))];
    for number in TEN_HOURS - LAST..TEN_HOURS {
        let change = run.change();
        pass(&mut run, number);
        updates.push(value(&run.update(change)));
    }
    let change = run.change();
    run.end(&LiveEnd::of(&kinds::twenty_levels(), None));
    run.close(Some("run/report.html".to_owned()));
    updates.push(value(&run.update(change)));
    fs::write(folder.join("live.html"), run.page()).unwrap();
    fs::write(folder.join("updates.json"), json!(updates).to_string()).unwrap();
}
