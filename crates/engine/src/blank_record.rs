use std::borrow::Cow;

use model::HiddenValues;
use record::{Run, ScriptInfo};
use serde_json::Value;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::program::Program;
use crate::secrets::fit_to_be_stored;

/// The values of environment variables, which the record must not contain.
pub(crate) fn hidden_values(config: &RunConfig) -> HiddenValues {
    let scenario = config.scenario();
    scenario.map(|it| it.env.hidden()).unwrap_or_default()
}

fn script_info(program: &Program) -> ScriptInfo {
    match program {
        Program::Scenario(scenario) => ScriptInfo {
            path: scenario.bundle.name().to_owned(),
            sha256: scenario.bundle.sha256(),
            source: scenario.bundle.main_source().to_owned(),
            env: scenario.env.names().map(str::to_owned).collect(),
        },
        Program::Plain(plain) => ScriptInfo {
            path: plain.title(),
            ..ScriptInfo::default()
        },
    }
}

/// The target without hidden values. Parsing a URL changes its text (letter case, escapes), so hidden values are
/// searched for in the text from the options.
fn target(config: &RunConfig, hidden: &HiddenValues) -> String {
    let given = config.options_json.get("target").and_then(Value::as_str);
    match given.map(|given| hidden.hide(given)) {
        Some(Cow::Owned(shown)) => shown,
        _ => config.target_as_written(),
    }
}

/// The record of a run before anything is measured.
pub(crate) fn blank_record(config: &RunConfig, hidden: &HiddenValues, clock: Clock) -> Run {
    Run {
        tool: concat!("headcount ", env!("CARGO_PKG_VERSION")).to_owned(),
        started_at: clock.started_at(),
        seed: config.seed,
        run_tag: config.run.tag.clone(),
        script: script_info(&config.program),
        options: fit_to_be_stored(&config.options_json),
        target: target(config, hidden),
        target_version: config.run.target_version.clone(),
        machine: crate::watcher::machine(),
        workers: config.workers,
        sources: crate::sources::told(config),
        ..Run::default()
    }
}
