//! `headcount find` and `headcount bench --find`: search for the highest load that holds.

mod by_group_size;
mod default_thresholds;
mod load;
mod not_ready;
mod prepared_search;
mod resume;
mod script_mistake;
mod settings;
mod subject;
mod trial_runner;

use std::path::Path;

use anyhow::{Context as _, bail};
use capacity::search::{Ended, Quantity, SavedSearch};
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
use prepared_search::PreparedSearch;
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
    let reopened = args.resume.as_deref().map(RunFolder::reopen).transpose()?;
    let prepared = if let Some(folder) = &reopened {
        let saved = resume::read(&folder.path().join(FILE), &declared, args)?;
        PreparedSearch {
            clock,
            subject,
            shape: LoadShape::of(&declared, Some(saved.quantity))?,
            saved,
        }
    } else {
        let shape = LoadShape::of(&declared, args.search.map(Quantity::from))?;
        let range = (&args.range, args.fleet.fleet.is_some());
        let prepared = PreparedSearch::new(name(args), subject, &declared, shape, range, clock)?;
        prepared.check_budget()?;
        prepared
    };
    let fleet = Fleet::open(&args.fleet, &args.generator, args.screen.quiet)?;
    // Last, so that an error before leaves no empty folder.
    let folder = reopened.map_or_else(
        || RunFolder::claim(args.out.as_deref(), &clock.started_at()),
        Ok,
    )?;
    let (runner, saved) = prepared.start(stop_on_ctrl_c()?, fleet, args.screen.quiet);
    search(runner, saved, Some(folder.path()), args.screen.json)
}

fn name(args: &FindArgs) -> String {
    args.scenario.display().to_string()
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
    let on_fleet = args.fleet.fleet.is_some();
    let most = if on_fleet {
        u32::MAX
    } else {
        bench::most_connections()
    };
    let shape = LoadShape::of(&declared, Some(quantity))?.with_connections(args.connections, most);
    let range = (&args.search.range, on_fleet);
    let prepared = PreparedSearch::new(name, subject, &declared, shape, range, clock)?;
    prepared.check_budget()?;
    let fleet = Fleet::open(&args.fleet, &args.generator, args.screen.quiet)?;
    let folder = args
        .out
        .as_deref()
        .map(|folder| RunFolder::claim(Some(folder), &clock.started_at()))
        .transpose()?;
    let (runner, saved) = prepared.start(stop_on_ctrl_c()?, fleet, args.screen.quiet);
    let folder = folder.as_ref().map(RunFolder::path);
    search(runner, saved, folder, args.screen.json)
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
            say(nothing_measured(saved.answer.ended));
        }
    } else {
        if json {
            print(&format!("{}\n", serde_json::to_string_pretty(saved)?))?;
        } else {
            let place = folder.map(|folder| folder.join(FILE).display().to_string());
            print(&report::search_result(saved, terminal(place.as_deref())))?;
        }
        if saved.default_thresholds {
            show_default_thresholds(&saved.thresholds);
        }
    }
    if let Some(why) = &ending.error {
        return Ok(complain(why));
    }
    Ok(exit_of(saved.answer.ended))
}

/// The end of a search without a trial.
fn nothing_measured(ended: Ended) -> &'static str {
    match ended {
        Ended::Interrupted => "interrupted before anything was measured; nothing is saved",
        _ => {
            "the time ran out before anything was measured, so nothing is saved: use a longer --budget"
        }
    }
}

fn show_default_thresholds(thresholds: &[String]) {
    say(&format!(
        "to declare these thresholds, add to the options:\n  {}",
        default_thresholds::line(thresholds)
    ));
}

fn exit_of(ended: Ended) -> Exit {
    match ended {
        Ended::Confirmed | Ended::LargestLoadHeld => Exit::Passed,
        Ended::FirstLoadFailed | Ended::NotRecovered | Ended::Slowing => Exit::Failed,
        Ended::OutOfTime
        | Ended::GeneratorLimit
        | Ended::Unmeasured
        | Ended::Undecided
        | Ended::TrialError => Exit::Inconclusive,
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
            (Ended::Slowing, Exit::Failed),
            (Ended::Unmeasured, Exit::Inconclusive),
            (Ended::Undecided, Exit::Inconclusive),
            (Ended::Interrupted, Exit::Interrupted),
            (Ended::TrialError, Exit::Inconclusive),
        ] {
            assert_eq!(exit_of(ended), exit, "{ended:?}");
        }
    }

    #[test]
    fn a_search_without_a_trial_was_interrupted_or_ran_out_of_time() {
        assert!(nothing_measured(Ended::Interrupted).starts_with("interrupted"));
        assert!(nothing_measured(Ended::OutOfTime).contains("a longer --budget"));
    }
}
