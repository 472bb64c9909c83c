//! `headcount find --by group-size=…`: one search for each group size.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use capacity::search::{CeilingMap, Quantity, SavedSearch, SizedSearch};
use engine::Clock;
use script::Bundle;

use super::load::LoadShape;
use super::prepared_search::PreparedSearch;
use super::settings::{SHORTEST_S, budget_s};
use super::trial_runner::Ending;
use super::{bundle, exit_of, name, save, scenario, show_default_thresholds};
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
    check(args, &bundle, sizes, left_s)?;
    let mut fleet = Fleet::open(&args.fleet, &args.generator, args.screen.quiet)?;
    let folder = RunFolder::claim(args.out.as_deref(), &clock.started_at())?;
    let mut map = empty_map();
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
        let place = folder_for(size, folder.path())?;
        let mut search = prepared(args, bundle.clone(), size, share_s)?;
        if let Some(earlier) = with_common_thresholds(&map) {
            take_thresholds(&mut search.saved, earlier);
        }
        let (runner, saved) = search.start(stop.clone(), fleet.take(), args.screen.quiet);
        let mut runner = runner.after_others(done > 0);
        let ending = runner.run(saved, |saved| save(saved, Some(&place)));
        fleet = runner.into_fleet();
        let Ending { saved, error } = ending?;
        left_s -= saved.answer.spent_s;
        map.searches.push(SizedSearch {
            group_size: size,
            search: saved,
        });
        save_map(&map, folder.path())?;
        failure = error.as_ref().map(complain);
        if stop.asked() > 0 || failure.is_some() {
            break;
        }
    }
    hurry::nothing_left_to_wait_for();
    show(&map, folder.path(), args.screen.json)?;
    Ok(failure.unwrap_or_else(|| exit(&map, sizes.len())))
}

/// Fails if the search at one of the sizes cannot begin.
fn check(args: &FindArgs, bundle: &Bundle, sizes: &[u64], time_s: f64) -> anyhow::Result<()> {
    for &size in sizes {
        let share_s = time_s / sizes.len() as f64;
        prepared(args, bundle.clone(), size, share_s)?.check_budget()?;
    }
    Ok(())
}

fn empty_map() -> CeilingMap {
    CeilingMap {
        kind: CeilingMap::KIND.to_owned(),
        version: CeilingMap::VERSION,
        searches: Vec::new(),
    }
}

fn folder_for(size: u64, parent: &Path) -> anyhow::Result<PathBuf> {
    let place = parent.join(format!("group-size-{size}"));
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    Ok(place)
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

/// The search at one group size.
fn prepared(
    args: &FindArgs,
    bundle: Bundle,
    size: u64,
    budget_s: f64,
) -> anyhow::Result<PreparedSearch> {
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
    let range = (&range, args.fleet.fleet.is_some());
    PreparedSearch::new(name(args), subject, &declared, shape, range, clock)
}

/// The search whose default thresholds apply to larger groups too. Ceilings can be compared only if the thresholds are
/// the same. A user alone receives no deliveries, so thresholds chosen for one say nothing about them.
fn with_common_thresholds(map: &CeilingMap) -> Option<&SavedSearch> {
    let chose = |one: &&SizedSearch| one.group_size > 1 && one.search.default_thresholds;
    map.searches.iter().find(chose).map(|one| &one.search)
}

fn take_thresholds(search: &mut SavedSearch, from: &SavedSearch) {
    search.default_thresholds = true;
    search.thresholds.clone_from(&from.thresholds);
    search.settings.limit_s = from.settings.limit_s;
}

fn save_map(map: &CeilingMap, folder: &Path) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(map).context("cannot encode the map")?;
    save_text(folder, FILE, &(text + "\n"))
}

fn show(map: &CeilingMap, folder: &Path, json: bool) -> anyhow::Result<()> {
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(map)?))?;
    } else {
        let place = folder.join(FILE).display().to_string();
        print(&report::ceiling_map(map, terminal(Some(&place))))?;
    }
    let mut chose = map.searches.iter().map(|one| &one.search);
    let any = || chose.find(|search| search.default_thresholds);
    if let Some(search) = with_common_thresholds(map).or_else(any) {
        show_default_thresholds(&search.thresholds);
    }
    Ok(())
}

/// The exit code of searches at this number of sizes.
fn exit(map: &CeilingMap, sizes: usize) -> Exit {
    let searches = map.searches.iter();
    let exits: Vec<Exit> = searches
        .map(|one| exit_of(one.search.answer.ended))
        .collect();
    exit_of_all(&exits, sizes)
}

/// The exit code: that of an interruption or else that of the first search without a ceiling, if there is one.
fn exit_of_all(exits: &[Exit], sizes: usize) -> Exit {
    // Only an interruption leaves sizes out. The search that it ended may have had its ceiling.
    if exits.len() < sizes || exits.contains(&Exit::Interrupted) {
        return Exit::Interrupted;
    }
    let failed = exits.iter().find(|exit| **exit != Exit::Passed);
    failed.copied().unwrap_or(Exit::Passed)
}

#[cfg(test)]
mod tests {
    use capacity::search::{Ended, Production, Search, Settings};

    use super::*;

    #[test]
    fn an_interruption_decides_the_exit_code_and_else_the_first_failure() {
        let (passed, open) = (Exit::Passed, Exit::Inconclusive);
        let cases = [
            ([passed, passed], passed),
            ([open, Exit::Failed], open),
            ([Exit::Failed, open], Exit::Failed),
            ([open, Exit::Interrupted], Exit::Interrupted),
        ];
        for (exits, expected) in cases {
            assert_eq!(exit_of_all(&exits, 2), expected, "{exits:?}");
        }
        assert_eq!(exit_of_all(&[passed, open], 3), Exit::Interrupted);
    }

    fn searched(group_size: u64, thresholds: &[&str]) -> SizedSearch {
        let settings = Settings {
            first: 1.0,
            least: 1.0,
            most: 100.0,
            whole: true,
            precision: 0.05,
            budget_s: 60.0,
            extended_s: 0.0,
            limit_s: thresholds.len() as f64 / 2.0,
            lead_s: 2.0,
            ramp_s: 0.0,
        };
        let search = SavedSearch {
            kind: SavedSearch::KIND.to_owned(),
            version: SavedSearch::VERSION,
            tool: String::new(),
            started_at: String::new(),
            ended_at: String::new(),
            scenario: "rooms.ts".to_owned(),
            target: String::new(),
            seed: 1,
            quantity: Quantity::Groups,
            group_size: 2,
            production: Production::default(),
            thresholds: thresholds.iter().map(|one| (*one).to_owned()).collect(),
            default_thresholds: !thresholds.is_empty(),
            answer: Search::new(settings).so_far(Ended::Interrupted),
            settings,
            findings: Vec::new(),
            scalability: None,
            trials: Vec::new(),
        };
        SizedSearch { group_size, search }
    }

    #[test]
    fn larger_groups_have_the_default_thresholds_of_the_first_group_with_receivers() {
        let alone = ["requests: p95 < 500ms"];
        let pair = ["requests: p95 < 500ms", "deliveries: p95 < 500ms"];
        let mut map = empty_map();
        map.searches = vec![searched(1, &alone)];
        assert_eq!(with_common_thresholds(&map), None);
        map.searches
            .extend([searched(2, &pair), searched(5, &alone)]);
        let earlier = with_common_thresholds(&map).unwrap();
        let mut next = searched(9, &[]).search;
        take_thresholds(&mut next, earlier);
        assert_eq!(next.thresholds, pair);
        assert_eq!(next.settings, earlier.settings);
        assert!(next.default_thresholds);
    }
}
