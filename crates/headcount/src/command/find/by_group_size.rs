//! `headcount find --by group-size=…`: one search for each group size.

use std::path::Path;

use anyhow::{Context as _, bail};
use capacity::search::{CeilingMap, Ended, Quantity, SizedSearch};
use engine::{Clock, Stop};
use script::Bundle;

use super::load::LoadShape;
use super::settings::{SHORTEST_S, budget_s, search_settings};
use super::trial_runner::TrialRunner;
use super::{blank, bundle, exit_of, save, scenario};
use crate::args::{FindArgs, SearchArgs};
use crate::command::fleet::Fleet;
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::{self, stop_on_ctrl_c};
use crate::save::save_text;
use crate::screen::{complain, print, say, terminal};

/// Name of the saved map in the folder.
const FILE: &str = "find-map.json";
/// Default time for the search at one group size.
const BUDGET_S: f64 = 180.0;

/// Searches at each size in turn, with an equal share of the remaining time.
pub(super) fn find(args: &FindArgs, sizes: &[u64]) -> anyhow::Result<Exit> {
    let clock = Clock::start();
    let mut left_s = time_for(args, sizes)?;
    let bundle = bundle(args)?; // once, so that all sizes are searched with the same scenario
    let mut fleet = Fleet::open(&args.fleet, &args.generator, args.screen.quiet)?;
    let folder = RunFolder::claim(args.out.as_deref(), &clock.started_at())?;
    let mut map = CeilingMap {
        kind: CeilingMap::KIND.to_owned(),
        version: CeilingMap::VERSION,
        searches: Vec::new(),
    };
    let stop = stop_on_ctrl_c()?;
    let mut failure = None;
    for (done, &size) in sizes.iter().enumerate() {
        // A search may have taken longer than its share, but the remaining ones are still useful.
        let share_s = (left_s / (sizes.len() - done) as f64).max(SHORTEST_S);
        say(&format!(
            "group size {size} ({} of {}), up to {share_s:.0} s",
            done + 1,
            sizes.len(),
        ));
        let place = folder.path().join(format!("group-size-{size}"));
        std::fs::create_dir_all(&place)
            .with_context(|| format!("cannot create {}", place.display()))?;
        let (searched, failed) = search_at(
            args,
            bundle.clone(),
            (size, share_s),
            &stop,
            &place,
            &mut fleet,
        )?;
        left_s -= searched.search.answer.spent_s;
        let stops = searched.search.answer.ended == Ended::Interrupted;
        map.searches.push(searched);
        save_map(&map, folder.path())?;
        failure = failed;
        if stops || failure.is_some() {
            break;
        }
    }
    hurry::nothing_left_to_wait_for();
    show(&map, folder.path(), args.screen.json)?;
    Ok(failure.unwrap_or_else(|| exit(&map)))
}

/// The time for all searches, in seconds. Fails if it is too short.
fn time_for(args: &FindArgs, sizes: &[u64]) -> anyhow::Result<f64> {
    let count = sizes.len() as f64;
    let Some(budget) = &args.range.budget else {
        return Ok(BUDGET_S * count);
    };
    let all_s = budget_s(budget)?;
    let least_s = SHORTEST_S * count;
    if all_s < least_s {
        bail!("--budget: {count} group sizes need at least {least_s} s ({SHORTEST_S} s each)");
    }
    Ok(all_s)
}

/// Searches at one group size. An error that ends the search early is shown, and its exit code returned.
fn search_at(
    args: &FindArgs,
    bundle: Bundle,
    (size, budget_s): (u64, f64),
    stop: &Stop,
    place: &Path,
    fleet: &mut Option<Fleet>,
) -> anyhow::Result<(SizedSearch, Option<Exit>)> {
    let clock = Clock::start();
    let (subject, declared) = scenario(args, bundle, Some(size))?;
    let wanted = if size == 1 {
        Quantity::Users
    } else {
        Quantity::Groups
    };
    let shape = LoadShape::of(&declared, Some(wanted))?;
    let range = SearchArgs {
        budget: Some(format!("{:.0}ms", budget_s * 1e3)),
        ..args.range.clone()
    };
    let settings = search_settings(&declared, &shape, &range, fleet.as_ref())?;
    let name = args.scenario.display().to_string();
    let saved = blank(name, &declared, &shape, settings, clock);
    let runner = TrialRunner::new(subject, shape, clock, stop.clone(), args.screen.quiet);
    let mut runner = runner.on(fleet.take());
    let ending = runner.run(saved, |saved| save(saved, Some(place)));
    *fleet = runner.into_fleet();
    let ending = ending?;
    let failed = ending.error.as_ref().map(complain);
    let searched = SizedSearch {
        group_size: size,
        search: ending.saved,
    };
    Ok((searched, failed))
}

fn save_map(map: &CeilingMap, folder: &Path) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(map).context("cannot encode the map")?;
    save_text(folder, FILE, &(text + "\n"))
}

fn show(map: &CeilingMap, folder: &Path, json: bool) -> anyhow::Result<()> {
    if json {
        return print(&format!("{}\n", serde_json::to_string_pretty(map)?));
    }
    let place = folder.join(FILE).display().to_string();
    print(&report::ceiling_map(map, terminal(Some(&place))))
}

/// The exit code: that of the first search without a ceiling, if there is one.
fn exit(map: &CeilingMap) -> Exit {
    let exits = map
        .searches
        .iter()
        .map(|one| exit_of(one.search.answer.ended));
    let mut failed = exits.filter(|exit| *exit != Exit::Passed);
    failed.next().unwrap_or(Exit::Passed)
}
