//! `headcount find` and `headcount bench --find`: search for the highest load that holds.

mod by_group_size;
mod default_thresholds;
mod load;
mod resume;
mod settings;
mod subject;
mod trial_runner;

use std::path::Path;

use anyhow::{Context as _, bail};
use capacity::search::{Ended, Production, Quantity, SavedSearch, Search, Settings};
use engine::{Clock, PrepareError, RunConfig};
use plan::Overrides;
use script::Bundle;

use crate::args::{BenchArgs, FindArgs};
use crate::command::bench;
use crate::command::fleet::Fleet;
use crate::command::generator::generator_settings;
use crate::env;
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::{self, stop_on_ctrl_c};
use crate::save::save_text;
use crate::screen::{self, complain, print, say, terminal};

use load::LoadShape;
use settings::search_settings;
use subject::Subject;
use trial_runner::{Ending, TrialRunner};

/// Name of the saved search in the folder.
const FILE: &str = "find.json";

/// `headcount find`
pub(crate) fn find(args: &FindArgs) -> anyhow::Result<Exit> {
    if let Some(sizes) = &args.by {
        return by_group_size::find(args, &sizes.0);
    }
    let clock = Clock::start();
    let (subject, declared) = scenario(args, bundle(args)?, None)?;
    let fleet = Fleet::open(&args.fleet, &args.generator, args.screen.quiet)?;
    let (folder, shape, saved) = if let Some(folder) = &args.resume {
        let opened = RunFolder::reopen(folder)?;
        let saved = resume::read(&folder.join(FILE), &declared, &args.range)?;
        let shape = LoadShape::of(&declared, Some(saved.quantity))?;
        (opened, shape, saved)
    } else {
        let shape = LoadShape::of(&declared, args.search.map(Quantity::from))?;
        let settings = search_settings(&declared, &shape, &args.range, fleet.as_ref())?;
        let folder = RunFolder::claim(args.out.as_deref(), &clock.started_at())?;
        let name = args.scenario.display().to_string();
        let saved = blank(name, &declared, &shape, settings, clock);
        (folder, shape, saved)
    };
    let stop = stop_on_ctrl_c()?;
    let runner = TrialRunner::new(subject, shape, clock, stop, args.screen.quiet).on(fleet);
    search(runner, saved, Some(folder.path()), args.screen.json)
}

/// Reads the scenario and its modules.
fn bundle(args: &FindArgs) -> anyhow::Result<Bundle> {
    let root = args.root.as_deref().unwrap_or(folder_of(args));
    let bundle = Bundle::read_within(&args.scenario, root).map_err(PrepareError::from)?;
    Ok(bundle)
}

fn folder_of(args: &FindArgs) -> &Path {
    args.scenario.parent().unwrap_or(Path::new(""))
}

/// The scenario with the options of the command line. With `group`, each group has this number of users.
fn scenario(
    args: &FindArgs,
    bundle: Bundle,
    group: Option<u64>,
) -> anyhow::Result<(Subject, RunConfig)> {
    let overrides = Overrides {
        target: args.target.clone(),
        metrics: args.watch_metrics.clone(),
        no_repeat: args.no_repeat,
        seed: args.seed,
        source: args.generator.source.clone(),
        group,
        ..Overrides::default()
    };
    let mut settings = generator_settings(&args.generator, overrides)?;
    settings.root.clone_from(&args.root);
    settings.env = env::passed(&args.env)?;
    screen::hide(settings.env.hidden());
    let subject = Subject::scenario(bundle, folder_of(args).to_owned(), settings);
    let declared = subject.declared()?;
    Ok((subject, declared))
}

/// `headcount bench --find`
pub(crate) fn find_url(args: &BenchArgs) -> anyhow::Result<Exit> {
    let clock = Clock::start();
    let url = &bench::url_of(&args.url)?;
    if args.http2 {
        bail!("--find does not support --http2 yet: use HTTP/1.1");
    }
    let settings = generator_settings(&args.generator, Overrides::default())?;
    let plain = bench::plain(args, url)?;
    let options = bench::options(args, url)?;
    let name = format!("bench {url}");
    let subject = Subject::url(plain, options, settings);
    let declared = subject.declared().map_err(bench::in_words_of_bench)?;
    let quantity = if bench::is_socket(url) {
        Quantity::Users
    } else {
        Quantity::Rate
    };
    let fleet = Fleet::open(&args.fleet, &args.generator, args.screen.quiet)?;
    let most = if fleet.is_some() {
        u32::MAX
    } else {
        bench::most_connections()
    };
    let shape = LoadShape::of(&declared, Some(quantity))?.with_connections(args.connections, most);
    let folder = args
        .out
        .as_deref()
        .map(|folder| RunFolder::claim(Some(folder), &clock.started_at()))
        .transpose()?;
    let settings = search_settings(&declared, &shape, &args.search.range, fleet.as_ref())?;
    let saved = blank(name, &declared, &shape, settings, clock);
    let stop = stop_on_ctrl_c()?;
    let runner = TrialRunner::new(subject, shape, clock, stop, args.screen.quiet).on(fleet);
    let folder = folder.as_ref().map(RunFolder::path);
    search(runner, saved, folder, args.screen.json)
}

/// A search without trials.
fn blank(
    scenario: String,
    declared: &RunConfig,
    shape: &LoadShape,
    (settings, production): (Settings, Production),
    clock: Clock,
) -> SavedSearch {
    let thresholds = declared.options.thresholds.iter();
    SavedSearch {
        kind: SavedSearch::KIND.to_owned(),
        version: SavedSearch::VERSION,
        tool: concat!("headcount ", env!("CARGO_PKG_VERSION")).to_owned(),
        started_at: clock.started_at(),
        ended_at: String::new(),
        scenario,
        target: String::new(),
        seed: declared.seed,
        quantity: shape.quantity,
        group_size: shape.group_size,
        production,
        thresholds: thresholds.map(ToString::to_string).collect(),
        default_thresholds: false,
        settings,
        answer: Search::new(settings).interrupted(),
        findings: Vec::new(),
        scalability: None,
        trials: Vec::new(),
    }
}

fn search(
    mut runner: TrialRunner,
    saved: SavedSearch,
    folder: Option<&Path>,
    json: bool,
) -> anyhow::Result<Exit> {
    let ending = runner.run(saved, |saved| save(saved, folder))?;
    hurry::nothing_left_to_wait_for();
    finish(&ending, folder, json)
}

fn save(saved: &SavedSearch, folder: Option<&Path>) -> anyhow::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let text = serde_json::to_string_pretty(saved).context("cannot encode the search")?;
    save_text(folder, FILE, &(text + "\n"))
}

fn finish(ending: &Ending, folder: Option<&Path>, json: bool) -> anyhow::Result<Exit> {
    let saved = &ending.saved;
    if saved.trials.is_empty() {
        if let Some(folder) = folder {
            let _ = std::fs::remove_dir(folder); // succeeds only if the folder is empty
        }
        if ending.error.is_none() {
            say("interrupted before anything was measured; nothing is saved");
        }
    } else {
        if json {
            print(&format!("{}\n", serde_json::to_string_pretty(saved)?))?;
        } else {
            let place = folder.map(|folder| folder.join(FILE).display().to_string());
            print(&report::search_result(saved, terminal(place.as_deref())))?;
        }
        if saved.default_thresholds {
            say(&format!(
                "to declare these thresholds, add to the options:\n  {}",
                default_thresholds::line(&saved.thresholds)
            ));
        }
    }
    if let Some(why) = &ending.error {
        return Ok(complain(why));
    }
    Ok(exit_of(saved.answer.ended))
}

fn exit_of(ended: Ended) -> Exit {
    match ended {
        Ended::Confirmed | Ended::LargestLoadHeld => Exit::Passed,
        Ended::FirstLoadFailed | Ended::NotRecovered | Ended::Slowing => Exit::Failed,
        Ended::OutOfTime | Ended::GeneratorLimit | Ended::Unmeasured => Exit::Inconclusive,
        Ended::Interrupted => Exit::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_exit_code() {
        for (ended, exit) in [
            (Ended::Confirmed, Exit::Passed),
            (Ended::LargestLoadHeld, Exit::Passed),
            (Ended::GeneratorLimit, Exit::Inconclusive),
            (Ended::OutOfTime, Exit::Inconclusive),
            (Ended::FirstLoadFailed, Exit::Failed),
            (Ended::NotRecovered, Exit::Failed),
            (Ended::Interrupted, Exit::Interrupted),
        ] {
            assert_eq!(exit_of(ended), exit, "{ended:?}");
        }
    }
}
