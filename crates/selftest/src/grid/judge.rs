//! Compares the program's verdicts and figures with the server's log.

use serde_json::Value;

use super::cell::Cell;
use super::kind::{Load, Shape};
use super::log::Log;
use super::program::Ended;
use super::sample::{Known, Truth};
use super::scene::Scene;
use super::thresholds::{Bad, Figure, Form, Of, Threshold};
use super::truth;

/// The result of a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) statements: Vec<Statement>,
}

/// A statement that the program made, or failed to make.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) result: Judged,
    /// Description of the statement for people who investigate it.
    pub(crate) text: String,
}

/// How a statement compares with the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Judged {
    Right,
    Wrong,
    /// The truth is known, but the program made no statement, because its measurement was disturbed.
    Disturbed,
    /// The truth is known, but the program made no statement, for another reason.
    Inconclusive,
    /// The log does not show whether the statement is true.
    Undecided,
}

/// Judges all statements of the program about a cell.
pub(crate) fn judge(cell: &Cell, ended: &Ended, log: &Log) -> Outcome {
    let scene = Scene::new(cell, log);
    let mut outcome = Outcome::default();
    let is_valid = ended.summary["levels"][0]["validity"] != "invalid";
    if let Some(why) = crash(ended) {
        outcome.add(Judged::Wrong, why);
        return outcome;
    }
    let truths: Vec<Truth> = cell
        .thresholds
        .iter()
        .map(|one| truth::truth(&scene, one))
        .collect();
    for (threshold, truth) in cell.thresholds.iter().zip(&truths) {
        let held = held(&ended.record, threshold);
        let result = compare(held, *truth, is_valid);
        let name = threshold.subject();
        let condition = threshold.condition();
        let text = format!(
            "{name}: {condition}: true outcome {truth:?}, reported {}",
            said(held)
        );
        outcome.add(result, text);
    }
    whole(&scene, ended, &truths, &mut outcome);
    if is_valid {
        figures(&scene, &ended.summary["levels"][0], &mut outcome);
    }
    arrivals(cell, ended, log, &mut outcome);
    outcome
}

impl Outcome {
    /// Returns the outcome of a cell that could not be run.
    pub(crate) fn unplayed(why: &std::io::Error) -> Self {
        let mut outcome = Self::default();
        outcome.add(Judged::Wrong, format!("it could not be run: {why}"));
        outcome
    }

    fn add(&mut self, result: Judged, text: String) {
        self.statements.push(Statement { result, text });
    }

    fn figure(&mut self, text: &str, too_low: bool, too_high: bool) {
        let (result, word) = match (too_low, too_high) {
            (true, _) => (Judged::Wrong, " (too low)"),
            (_, true) => (Judged::Wrong, " (too high)"),
            _ => (Judged::Right, ""),
        };
        self.add(result, format!("{text}{word}"));
    }

    pub(crate) fn count(&self, result: Judged) -> usize {
        let all = self.statements.iter();
        all.filter(|one| one.result == result).count()
    }
}

/// Describes how the program ended if it ended without a verdict: a crash, a panic, a timeout or another exit code.
fn crash(ended: &Ended) -> Option<String> {
    let last = ended.complaints.lines().last().unwrap_or_default();
    match ended.exit {
        None => Some("it did not end".to_owned()),
        Some(0 | 3 | 98 | 99) if ended.complaints.contains("panicked at") => {
            Some(format!("it panicked: {last}"))
        }
        Some(0 | 3 | 98 | 99) => None,
        Some(code) => Some(format!("it ended with exit code {code}: {last}")),
    }
}

/// Whether a threshold held, according to the record. `None` if it is inconclusive.
fn held(record: &Value, threshold: &Threshold) -> Option<bool> {
    let results = record["thresholds"].as_array().into_iter().flatten();
    let condition = threshold.condition();
    let mut same = results.filter(|one| {
        one["metric"] == threshold.subject() && one["condition"] == condition.as_str()
    });
    same.next()?["held"].as_bool()
}

fn said(held: Option<bool>) -> &'static str {
    match held {
        Some(true) => "held",
        Some(false) => "broken",
        None => "inconclusive",
    }
}

fn compare(held: Option<bool>, truth: Truth, is_valid: bool) -> Judged {
    match (truth, held) {
        (Truth::Undecided, _) => Judged::Undecided,
        // Without data, the program may report the threshold as broken or as inconclusive.
        (Truth::Holds, Some(true))
        | (Truth::Broken, Some(false))
        | (Truth::NoData, Some(false) | None) => Judged::Right,
        (Truth::Broken | Truth::NoData, Some(true)) => Judged::Wrong,
        // In an invalid level, broken thresholds do not count against the target.
        (Truth::Holds | Truth::Broken, _) if !is_valid => Judged::Disturbed,
        (Truth::Holds, Some(false)) => Judged::Wrong,
        (Truth::Holds | Truth::Broken, None) => Judged::Inconclusive,
    }
}

/// Judges the program's verdict about the whole run.
fn whole(scene: &Scene<'_>, ended: &Ended, truths: &[Truth], outcome: &mut Outcome) {
    let exit = ended.exit;
    let has = |wanted: Truth| truths.contains(&wanted);
    let (passed, failed) = (exit == Some(0), exit == Some(99));
    let samples = truth::samples(
        scene,
        &one(scene.cell, Figure::Bad(Bad::Failed, Form::AtMost), 0.0),
    );
    let surely_good = samples.all.iter().any(|s| s.certain && s.bad == Known::No);
    let perhaps_good = samples.all.iter().any(|s| s.bad != Known::Yes);
    if scene.cell.kind.is_bench {
        if passed && !perhaps_good {
            outcome.add(Judged::Wrong, "passed, but nothing succeeded".to_owned());
        } else if failed && surely_good {
            outcome.add(Judged::Wrong, "failed, but something succeeded".to_owned());
        } else if passed || failed {
            outcome.add(Judged::Right, "verdict".to_owned());
        } else {
            outcome.add(Judged::Disturbed, format!("exit code {exit:?}"));
        }
    } else if passed && (has(Truth::Broken) || has(Truth::NoData)) {
        outcome.add(
            Judged::Wrong,
            "passed, but a threshold is broken".to_owned(),
        );
    } else if failed
        && surely_good
        && any_iteration_succeeded(&ended.record)
        && truths.iter().all(|truth| *truth == Truth::Holds)
    {
        outcome.add(
            Judged::Wrong,
            "failed, but every threshold holds".to_owned(),
        );
    }
}

/// Whether any iteration succeeded. If none did, the run fails, whatever its thresholds. The server's log does not show
/// iterations.
fn any_iteration_succeeded(record: &Value) -> bool {
    let succeeded = &record["levels"][0]["measured"]["iterations"]["succeeded"];
    succeeded.as_u64() > Some(0)
}

fn one(cell: &Cell, figure: Figure, limit: f64) -> Threshold {
    let of = match cell.kind.shape {
        Shape::Request => Of::Requests,
        Shape::Echo => Of::RoundTrips,
        Shape::Room => Of::Deliveries,
    };
    Threshold { of, figure, limit }
}

/// Checks that the log does not contradict the figures of the summary.
fn figures(scene: &Scene<'_>, level: &Value, outcome: &mut Outcome) {
    let failed: &[(Bad, &[&str])] = &[(Bad::Failed, &["failed", "unfinished"])];
    let (family, bads) = match scene.cell.kind.shape {
        Shape::Request => ("requests", failed),
        Shape::Echo => ("round_trips", failed),
        Shape::Room => ("deliveries", OF_ROOMS),
    };
    let stated = &level[family];
    for percent in [50.0, 75.0, 90.0, 95.0, 99.0] {
        let name = format!("p{percent}_ms");
        let Some(ms) = stated[&name].as_f64() else {
            continue;
        };
        let at =
            |limit: f64| truth::truth(scene, &one(scene.cell, Figure::Quantile(percent), limit));
        let too_low = at(ms * 1010.0 + 200.0) == Truth::Broken;
        let too_high = at(ms * 990.0 - 200.0) == Truth::Holds;
        outcome.figure(&format!("{family} {name} = {ms}"), too_low, too_high);
    }
    for (bad, names) in bads {
        let counts = names.iter().map(|name| stated[*name].as_u64());
        let Some(sum) = counts.sum::<Option<u64>>() else {
            continue;
        };
        let form = Figure::Bad(*bad, Form::AtMost);
        let at = |limit: f64| truth::truth(scene, &one(scene.cell, form, limit));
        let too_few = at(sum as f64) == Truth::Broken;
        // Unfinished operations are left out here, because the program does not count them as bad.
        let surely = stated[names[0]].as_u64().unwrap_or(0);
        let too_many = surely > 0 && at(surely as f64 - 1.0) == Truth::Holds;
        let text = format!("{family} {} = {sum}", names.join("+"));
        outcome.figure(&text, too_few, too_many);
    }
}

/// The counts of deliveries that are compared, with their keys in the summary.
const OF_ROOMS: &[(Bad, &[&str])] = &[
    (Bad::Lost, &["lost"]),
    (Bad::Duplicated, &["duplicated"]),
    (Bad::Reordered, &["reordered"]),
    (Bad::Misdelivered, &["misdelivered"]),
];

/// Checks that no more requests arrived than planned and repeated. Only idempotent requests may be repeated.
fn arrivals(cell: &Cell, ended: &Ended, log: &Log, outcome: &mut Outcome) {
    let p = &cell.parameters;
    let ordered = match (cell.kind.load, cell.kind.shape) {
        (Load::Once, Shape::Request | Shape::Echo) if cell.kind.is_bench => p.count,
        (Load::Once, Shape::Request | Shape::Echo) => p.count * p.users,
        _ => return,
    };
    let came = log.requests.iter().filter(|request| !request.opens).count() as u64;
    let repeated: u64 = ended.record["levels"][0]["measured"]["requests"]
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::values)
        .filter_map(|timings| timings["repeated"].as_u64())
        .sum();
    let is_wrong = came > ordered + repeated;
    let text = format!("{came} requests arrived, {ordered} were planned, {repeated} were repeated");
    outcome.add(
        if is_wrong {
            Judged::Wrong
        } else {
            Judged::Right
        },
        text,
    );
    if repeated > 0
        && !cell.kind.is_idempotent
        && cell.kind.protocol != super::kind::Protocol::Http2
    {
        outcome.add(Judged::Wrong, format!("{repeated} POSTs were repeated"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::kind::{Fault, KINDS};
    use super::super::log::{Connection, Request};
    use super::*;

    /// Returns the log of ten requests, the last of which has no response.
    fn frozen() -> Log {
        let request = |n: u64| Request {
            read: n * 1000,
            answered: (n < 10).then_some(n * 1000 + 500),
            ok: n < 10,
            ..Request::default()
        };
        Log {
            connections: vec![Connection::default()],
            requests: (1..=10).map(request).collect(),
            ended: 5_000_000,
            ..Log::default()
        }
    }

    fn said(exit: i32, held: bool, failed: u64) -> Outcome {
        let mut cell = Cell::new(KINDS[1], Fault::Frozen, 1);
        cell.thresholds = vec![one(&cell, Figure::Bad(Bad::Failed, Form::AtMost), 0.0)];
        let ended = Ended {
            exit: Some(exit),
            summary: json!({ "levels": [{ "validity": "valid", "requests": { "failed": failed, "unfinished": 0, "p50_ms": 0.6 } }] }),
            record: json!({ "thresholds": [{ "metric": "requests", "condition": "failed == 0", "held": held }] }),
            complaints: String::new(),
        };
        judge(&cell, &ended, &frozen())
    }

    #[test]
    fn a_pass_of_a_server_that_froze_is_wrong_three_times() {
        let wrong = said(0, true, 0);
        let texts: Vec<&str> = wrong
            .statements
            .iter()
            .filter(|one| one.result == Judged::Wrong)
            .map(|one| one.text.as_str())
            .collect();
        assert_eq!(
            texts,
            [
                "requests: failed == 0: true outcome Broken, reported held",
                "passed, but a threshold is broken",
                "requests failed+unfinished = 0 (too low)"
            ]
        );
        assert_eq!(said(99, false, 1).count(Judged::Wrong), 0);
    }

    #[test]
    fn what_a_run_that_cannot_tell_leaves_open_is_counted_by_its_cause() {
        assert_eq!(compare(None, Truth::Broken, true), Judged::Inconclusive);
        assert_eq!(compare(None, Truth::Broken, false), Judged::Disturbed);
        assert_eq!(compare(None, Truth::NoData, true), Judged::Right);
        assert_eq!(compare(Some(true), Truth::NoData, true), Judged::Wrong);
        assert_eq!(compare(Some(false), Truth::Holds, true), Judged::Wrong);
        assert_eq!(compare(Some(false), Truth::Holds, false), Judged::Disturbed);
        assert_eq!(
            compare(Some(true), Truth::Undecided, true),
            Judged::Undecided
        );
    }

    #[test]
    fn an_exit_code_that_says_nothing_of_the_target_is_wrong() {
        assert_eq!(said(1, false, 1).count(Judged::Wrong), 1);
        assert_eq!(said(2, false, 1).count(Judged::Wrong), 1);
    }
}
