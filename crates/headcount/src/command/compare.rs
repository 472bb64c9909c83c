//! `headcount compare`: compares saved runs.

use std::path::Path;

use anyhow::bail;
use comparison::{FailIf, FailIfOutcome, Margins, ObstacleKind, Request, compare as compare_runs};
use report::Compared;
use serde_json::json;

use crate::args::{CompareArgs, CompareFormat};
use crate::command::baseline;
use crate::exit::Exit;
use crate::saved_runs::{RunSet, read_runs};
use crate::screen::{print, terminal};

/// One side of a comparison, with the name that the user gave it.
struct Side {
    name: String,
    set: RunSet,
}

/// `headcount compare`
pub(crate) fn compare(args: &CompareArgs) -> anyhow::Result<Exit> {
    let mut sides = args
        .runs
        .iter()
        .map(|path| read_side(path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let base = match &args.baseline {
        Some(name) => Side {
            name: format!("baseline {name}"),
            set: baseline::read(&args.store, name)?,
        },
        None if sides.len() < 2 => {
            bail!("compare needs two sets of runs: the base and the new one (or --baseline NAME)")
        }
        None => sides.remove(0),
    };
    let mut outcome = None;
    for (index, new) in sides.iter().enumerate() {
        if index > 0 && !matches!(args.format, CompareFormat::Json) {
            print("\n")?;
        }
        outcome = outcome.max(one(args, &base, new, sides.len() > 1)?);
    }
    Ok(match outcome {
        Some(FailIfOutcome::Failed) => Exit::Failed,
        Some(FailIfOutcome::Inconclusive) if !args.allow_inconclusive => Exit::Inconclusive,
        _ => Exit::Passed,
    })
}

fn read_side(path: &Path) -> anyhow::Result<Side> {
    Ok(Side {
        name: path.display().to_string(),
        set: read_runs(path)?,
    })
}

/// Compares one side with the base, and prints the result. Returns the worst outcome of the conditions.
fn one(
    args: &CompareArgs,
    base: &Side,
    new: &Side,
    is_one_of_several: bool,
) -> anyhow::Result<Option<FailIfOutcome>> {
    let usual = args.margin / 100.0;
    let allowed: Vec<ObstacleKind> = args
        .allow_different
        .iter()
        .copied()
        .map(Into::into)
        .collect();
    let request = Request {
        base: &base.set.runs,
        new: &new.set.runs,
        is_history: args.baseline.is_some(),
        margins: Margins {
            usual,
            tail: 2.0 * usual,
        },
        conditions: &args.fail_if,
        allowed: &allowed,
    };
    let comparison = match compare_runs(&request) {
        Ok(comparison) => comparison,
        Err(obstacles) => bail!("{}", report::not_comparable(&obstacles, &files(base, new))),
    };
    if comparison.levels.is_empty() {
        bail!("the runs have no level with the same load, so nothing can be compared");
    }
    let unknown = args.fail_if.iter();
    let mut unknown = unknown.filter(|condition| !condition.is_about_any(&comparison));
    if let Some(condition) = unknown.next() {
        bail!(
            "--fail-if \"{}\": the runs have no such figure; `headcount compare --all` lists all that they have",
            condition.source
        );
    }
    let judged = args
        .fail_if
        .iter()
        .map(|condition| (condition.clone(), condition.judge(&comparison)));
    let conditions: Vec<(FailIf, FailIfOutcome)> = judged.collect();
    let compared = Compared {
        base: &base.name,
        new: &new.name,
        comparison: &comparison,
        conditions: &conditions,
        all: args.all,
    };
    print(&match args.format {
        CompareFormat::Terminal => report::comparison(compared, terminal(None)),
        CompareFormat::Markdown => report::comparison_markdown(compared),
        // Several documents are one per line, so that they can be told apart.
        CompareFormat::Json if is_one_of_several => format!("{}\n", as_json(compared)),
        CompareFormat::Json => format!("{:#}\n", as_json(compared)),
    })?;
    Ok(conditions.into_iter().map(|(_, outcome)| outcome).max())
}

/// The files of all runs, those of the base first.
fn files(base: &Side, new: &Side) -> Vec<String> {
    let files = base.set.files.iter().chain(&new.set.files);
    files.map(|file| file.display().to_string()).collect()
}

fn as_json(compared: Compared<'_>) -> serde_json::Value {
    let conditions = compared
        .conditions
        .iter()
        .map(|(condition, outcome)| json!({ "condition": condition.source, "outcome": outcome }));
    json!({
        "kind": "headcount-comparison",
        "version": 1,
        "base": compared.base,
        "new": compared.new,
        "conditions": conditions.collect::<Vec<_>>(),
        "comparison": compared.comparison,
    })
}
