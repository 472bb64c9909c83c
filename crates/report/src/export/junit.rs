//! JUnit XML, as Jenkins, GitLab and GitHub actions read it: one suite for each level, one case for each threshold.
//!
//! A broken threshold is a failure, because the target is at fault. An inconclusive one is an error. A run without
//! thresholds has one case for each level, and a run without a level has one case, which is an error. What failed beside
//! the thresholds is a case as well: a level at which nothing succeeded, or else the run. GitLab shows the class name as
//! the suite, so it contains the level.

use std::io;

use model::Verdict;
use quick_xml::Writer;
use quick_xml::events::BytesText;
use record::{Level, Run, ThresholdResult};

use crate::section::inconclusive::observed;
use crate::section::status::fails_without_threshold;
use crate::section::{label, verdict};
use crate::words;

type Xml = Writer<Vec<u8>>;

/// Name of the case that stands for a level or a run as a whole.
const COMPLETED: &str = "completed";

/// Renders the thresholds of a run as JUnit XML.
pub fn junit(run: &Run) -> io::Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let suites = xml
        .create_element("testsuites")
        .with_attribute(("name", run.script.path.as_str()));
    suites.write_inner_content(|xml| {
        if run.levels.is_empty() {
            return suite_of_run(xml, run);
        }
        let mut levels = run.levels.iter();
        levels.try_for_each(|level| suite(xml, run, level))?;
        if fails_elsewhere(run) {
            return suite_of_run(xml, run);
        }
        Ok(())
    })?;
    let text = String::from_utf8(xml.into_inner()).map_err(io::Error::other)?;
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}\n"
    ))
}

fn suite(xml: &mut Xml, run: &Run, level: &Level) -> io::Result<()> {
    let of_level = |result: &&ThresholdResult| result.level == level.index;
    let results: Vec<&ThresholdResult> = run.thresholds.iter().filter(of_level).collect();
    let count = |held: Option<bool>| results.iter().filter(|result| result.held == held).count();
    let whole = results.is_empty();
    let failed = fails_without_threshold(level);
    let (failures, errors) = if whole {
        let is = |verdict| usize::from(run.verdict == verdict);
        (is(Verdict::Failed), is(Verdict::Inconclusive))
    } else {
        (count(Some(false)) + usize::from(failed), count(None))
    };
    let cases = results.len() + usize::from(whole || failed);
    let load = label(&level.load);
    let suite = xml
        .create_element("testsuite")
        .with_attribute(("name", load.as_str()))
        .with_attribute(("timestamp", run.started_at.as_str()))
        .with_attribute(("time", level.phases.duration_s.to_string().as_str()))
        .with_attribute(("tests", cases.to_string().as_str()))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("errors", errors.to_string().as_str()));
    suite.write_inner_content(|xml| {
        properties(xml, run, level)?;
        if whole {
            return case(xml, run, &load, (COMPLETED, run_outcome(run)));
        }
        if failed {
            case(xml, run, &load, (COMPLETED, failed_anyway_outcome(level)))?;
        }
        results.iter().try_for_each(|result| {
            let name = format!("{} {}", result.metric, result.condition);
            case(xml, run, &load, (&name, threshold_outcome(run, result)))
        })
    })?;
    Ok(())
}

/// Whether the run failed although no case of a level does, for example in `setup`.
fn fails_elsewhere(run: &Run) -> bool {
    let mut results = run.thresholds.iter();
    let broken = results.any(|result| result.held == Some(false));
    let at_levels = broken || run.levels.iter().any(fails_without_threshold);
    run.verdict == Verdict::Failed && !run.thresholds.is_empty() && !at_levels
}

/// The run as one case. Without a case, CI systems would show the run as passed.
fn suite_of_run(xml: &mut Xml, run: &Run) -> io::Result<()> {
    let failed = run.verdict == Verdict::Failed;
    let suite = xml
        .create_element("testsuite")
        .with_attribute(("name", "run"))
        .with_attribute(("timestamp", run.started_at.as_str()))
        .with_attribute(("tests", "1"))
        .with_attribute(("failures", if failed { "1" } else { "0" }))
        .with_attribute(("errors", if failed { "0" } else { "1" }));
    suite.write_inner_content(|xml| case(xml, run, "run", (COMPLETED, run_outcome(run))))?;
    Ok(())
}

fn properties(xml: &mut Xml, run: &Run, level: &Level) -> io::Result<()> {
    let seed = run.seed.to_string();
    let all = [
        ("version", run.tool.as_str()),
        ("seed", seed.as_str()),
        ("target", run.target.as_str()),
        ("validity", level.validity().as_str()),
    ];
    let properties = xml.create_element("properties");
    properties.write_inner_content(|xml| {
        all.iter().try_for_each(|(name, value)| {
            let property = xml
                .create_element("property")
                .with_attribute(("name", *name));
            property
                .with_attribute(("value", *value))
                .write_empty()
                .map(drop)
        })
    })?;
    Ok(())
}

/// What a case reports.
enum CaseOutcome {
    Passed,
    Failed { kind: &'static str, message: String },
    Inconclusive { message: String },
}

fn threshold_outcome(run: &Run, result: &ThresholdResult) -> CaseOutcome {
    let message = format!(
        "{} {}: {}",
        result.metric,
        result.condition,
        observed(run, result)
    );
    match result.held {
        Some(true) => CaseOutcome::Passed,
        Some(false) => CaseOutcome::Failed {
            kind: "threshold",
            message,
        },
        None => CaseOutcome::Inconclusive { message },
    }
}

/// The outcome of a level that failed whatever its thresholds say.
fn failed_anyway_outcome(level: &Level) -> CaseOutcome {
    let message = level.measured.only_failures().map_or_else(
        || "the script failed".to_owned(),
        |none| words::none_succeeded(none).to_owned(),
    );
    CaseOutcome::Failed {
        kind: "run",
        message,
    }
}

/// Without thresholds, each level has the verdict of the run.
fn run_outcome(run: &Run) -> CaseOutcome {
    let headline = verdict::headline(run);
    let message = format!("{}{}", headline.verdict, headline.sentence);
    match run.verdict {
        Verdict::Passed => CaseOutcome::Passed,
        Verdict::Failed => CaseOutcome::Failed {
            kind: "run",
            message,
        },
        Verdict::Inconclusive => CaseOutcome::Inconclusive { message },
    }
}

fn case(
    xml: &mut Xml,
    run: &Run,
    part: &str,
    (name, outcome): (&str, CaseOutcome),
) -> io::Result<()> {
    let script = run.script.path.as_str();
    let class = format!("headcount.{script}.{part}");
    let case = xml
        .create_element("testcase")
        .with_attribute(("classname", class.as_str()))
        .with_attribute(("name", name))
        .with_attribute(("file", script))
        // The level's suite has the time. Otherwise the sum over the cases would be too long.
        .with_attribute(("time", "0"));
    match outcome {
        CaseOutcome::Passed => case.write_empty()?,
        CaseOutcome::Failed { kind, message } => {
            case.write_inner_content(|xml| problem(xml, "failure", kind, &message))?
        }
        CaseOutcome::Inconclusive { message } => {
            case.write_inner_content(|xml| problem(xml, "error", "inconclusive", &message))?
        }
    };
    Ok(())
}

fn problem(xml: &mut Xml, element: &str, kind: &str, message: &str) -> io::Result<()> {
    let problem = xml.create_element(element).with_attribute(("type", kind));
    let problem = problem.with_attribute(("message", message));
    problem
        .write_text_content(BytesText::new(message))
        .map(drop)
}
