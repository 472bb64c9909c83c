//! The page as HTML, as the data of its charts, and in a real Chromium. The browser tests are in `page/tests`.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;
mod kinds;
mod live;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{runs, targets};
use record::Run;
use serde_json::Value;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
/// Largest page without its data, in bytes.
const MOST: usize = 400_000;

type Kind = (&'static str, fn() -> Run);

const KINDS: [Kind; 15] = [
    ("healthy", || kinds::over_time(runs::healthy())),
    ("losses", || kinds::over_time(runs::with_losses())),
    ("invalid", || kinds::over_time(runs::invalid())),
    ("interrupted", runs::interrupted),
    ("one-level", runs::requests_only),
    ("crowded", || kinds::over_time(runs::crowded())),
    ("twenty-levels", kinds::twenty_levels),
    ("all-failed", kinds::all_failed),
    ("ten-hours", kinds::ten_hours),
    ("one-hour", kinds::one_hour),
    ("hostile", kinds::hostile),
    ("steps", kinds::steps),
    ("target-ended", kinds::target_ended),
    ("target-in-trouble", targets::in_trouble),
    ("endpoint", targets::elsewhere),
];

/// The data of the charts, as the page's script reads it.
fn data(run: &Run) -> Value {
    let page = report::html(run);
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

fn statuses(run: &Run) -> Vec<String> {
    let data = data(run);
    let levels = data["levels"].as_array().unwrap().iter();
    levels
        .map(|level| level["status"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_run_without_levels_has_a_verdict_and_no_charts() {
    let run = runs::interrupted();
    assert_eq!(data(&run)["levels"], Value::Array(Vec::new()));
    let page = report::html(&run);
    assert!(
        page.contains("<em>Interrupted</em> before anything was measured"),
        "{page}"
    );
    assert!(
        page.contains("<strong>Nothing was measured</strong>"),
        "{page}"
    );
}

#[test]
fn times_that_were_not_measured_are_null_and_never_zero() {
    let failed = data(&kinds::all_failed());
    let level = &failed["levels"][1];
    assert_eq!(level["status"], "failed");
    assert_eq!(
        (&level["count"], &level["without_end"]),
        (&200.into(), &100.into())
    );
    assert_eq!(level["p95"]["ms"], Value::Null);
    assert_eq!(level["bins"], Value::Array(Vec::new()));
    assert_eq!(level["samples"]["cpu_percent"], Value::Array(Vec::new()));
    let few = data(&runs::requests_only());
    let level = &few["levels"][0];
    assert!(level["p50"]["ms"].as_f64().unwrap() > 0.0);
    assert_eq!(level["p95"]["ms"], Value::Null);
    assert_eq!(level["p95"]["text"], "n/a (120 of 200 samples)");
    assert_eq!(level["status"], "measured", "no threshold applies");
}

#[test]
fn an_invalid_level_counts_neither_for_nor_against_the_target() {
    let run = kinds::steps();
    assert_eq!(statuses(&run), ["held", "held", "invalid"]);
    let page = report::html(&run);
    assert!(
        page.contains("<h2>At fault</h2><strong>The generator</strong>"),
        "{page}"
    );
    assert!(
        page.contains("<h2>Highest load that held</h2><strong>50 iterations/s</strong>"),
        "{page}"
    );
}

#[test]
fn of_twenty_levels_the_first_that_failed_is_named() {
    let run = kinds::twenty_levels();
    let statuses = statuses(&run);
    assert!(statuses[..16].iter().all(|status| status == "held"));
    assert!(statuses[16..].iter().all(|status| status == "failed"));
    let page = report::html(&run);
    assert!(
        page.contains("<h2>Highest load that held</h2><strong>400 iterations/s</strong>"),
        "{page}"
    );
    assert!(
        page.contains("<h2>Failed first</h2><strong>requests at 425/s</strong>"),
        "{page}"
    );
    let data = data(&run);
    assert_eq!(data["limits"][0]["ms"], 50.0);
    assert_eq!(
        data["limits"].as_array().unwrap().len(),
        1,
        "one line for twenty results"
    );
}

#[test]
fn levels_of_older_records_follow_each_other_on_the_time_axis() {
    let mut run = kinds::twenty_levels();
    run.levels.truncate(2);
    run.levels
        .iter_mut()
        .for_each(|level| level.started_s = None);
    let phases = &run.levels[0].phases;
    let length =
        phases.ramp_s + phases.warmup_s + phases.duration_s + phases.settle_s + phases.drain_s;
    let data = data(&run);
    assert_eq!(data["levels"][0]["started_s"], 0.0);
    assert!((data["levels"][1]["started_s"].as_f64().unwrap() - length).abs() < 1e-9);
}

#[test]
fn the_bins_of_a_level_hold_all_its_times() {
    let run = runs::healthy();
    let data = data(&run);
    let level = &data["levels"][2];
    let bins = level["bins"].as_array().unwrap();
    let total: u64 = bins.iter().map(|bin| bin[1].as_u64().unwrap()).sum();
    assert_eq!(total, level["count"].as_u64().unwrap());
    let p50 = level["p50"]["ms"].as_f64().unwrap();
    let below = bins
        .iter()
        .filter(|bin| 10_f64.powf((bin[0].as_f64().unwrap() + 1.0) / 16.0) <= p50);
    let below: u64 = below.map(|bin| bin[1].as_u64().unwrap()).sum();
    assert!(
        below <= total / 2,
        "{below} of {total} are below the bin of p50"
    );
}

#[test]
fn the_heat_map_over_time_holds_the_times_of_each_moment() {
    let run = kinds::over_time(runs::healthy());
    let data = data(&run);
    let heat = &data["levels"][0]["heat"];
    let columns = heat["columns"].as_array().unwrap();
    assert_eq!((&heat["width_s"], columns.len()), (&1.into(), 37));
    for (second, column) in columns.iter().enumerate() {
        let rows = column[1].as_array().unwrap().iter();
        let times: u64 = rows.map(|row| row[1].as_u64().unwrap()).sum();
        let without = u64::from(second % 11 == 3);
        assert_eq!((times, column[0].as_u64()), (60, Some(without)), "{second}");
    }
    let long = self::data(&kinds::ten_hours());
    let heat = &long["levels"][0]["heat"];
    assert_eq!(heat["width_s"], 32, "long runs have wider columns");
}

#[test]
fn the_page_without_data_is_small_and_ten_hours_stay_below_five_megabytes() {
    let empty = report::html(&runs::interrupted());
    assert!(empty.len() < MOST, "{} bytes", empty.len());
    let long = report::html(&kinds::ten_hours());
    assert!(long.len() < 5_000_000, "{} bytes", long.len());
}

#[test]
fn the_record_of_an_hour_with_twenty_levels_stays_below_20_mb_and_its_page_below_5_mb() {
    let run = kinds::one_hour();
    let seconds: usize = run.levels.iter().map(|level| level.series.len()).sum();
    assert_eq!((run.levels.len(), seconds), (20, 3600));
    let record = record::to_json(&run).unwrap();
    let page = report::html(&run);
    println!("record {} bytes, page {} bytes", record.len(), page.len());
    assert!(record.len() < 20_000_000, "{} bytes", record.len());
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    assert_eq!(record::from_json(&record).unwrap(), run);
}

#[test]
fn the_script_that_is_embedded_is_what_its_sources_build() {
    passes(node().args(["../../../e2e/check-dist.mjs", "production", "live"]));
}

#[test]
fn every_kind_of_page_opens_in_chromium_without_complaint() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).unwrap();
    for (name, run) in KINDS {
        fs::write(folder.join(format!("{name}.html")), report::html(&run())).unwrap();
    }
    let text = report::html_of_markdown("A run", &report::markdown(&kinds::hostile()));
    fs::write(folder.join("markdown.html"), text).unwrap();
    let tests = ["numbers", "page"].map(|name| format!("tests/{name}.test.mjs"));
    passes(
        node()
            .args(["--test", "--test-concurrency=1"])
            .args(tests)
            .env("PAGES", folder),
    );
}

#[test]
fn the_live_page_stays_fast_for_ten_hours() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("live-page");
    fs::create_dir_all(&folder).unwrap();
    live::write(&folder);
    let test = "tests/live.test.mjs";
    passes(node().args(["--test", test]).env("PAGES", folder));
}

/// Node in the page's folder. Panics if a dependency is missing, because a test that skips itself proves nothing.
fn node() -> Command {
    assert!(
        Path::new(PAGE).join("node_modules/axe-core").exists(),
        "{PAGE}/node_modules is not there: run ./e2e/install.sh (or ./test.sh, which does)"
    );
    let mut node = Command::new("node");
    node.current_dir(PAGE);
    node
}

fn passes(node: &mut Command) {
    let output = node
        .output()
        .unwrap_or_else(|why| panic!("node cannot be started: {why}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{node:?}: {}\n{}\n{}",
        output.status,
        said(&output.stdout),
        said(&output.stderr)
    );
}

#[test]
fn losses_without_a_threshold_are_not_called_a_success() {
    let mut run = runs::with_losses();
    run.thresholds.clear();
    let page = report::html(&run);
    assert!(!page.contains("<strong>Nothing failed</strong>"), "{page}");
    assert!(page.contains("312 receiver disconnected"), "{page}");
}
