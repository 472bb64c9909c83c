//! `headcount baseline`: keeps runs to compare later runs with.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use comparison::{ObstacleKind, obstacles};
use format::{Column, Row, Table, count};
use record::Run;

use crate::args::{BaselineAction, BaselineArgs, BaselineStore};
use crate::exit::Exit;
use crate::save::save_text;
use crate::saved_runs::{RunSet, read_runs};
use crate::screen::{colour, print, say};

/// `headcount baseline`
pub(crate) fn baseline(args: &BaselineArgs) -> anyhow::Result<Exit> {
    match &args.action {
        BaselineAction::Save {
            name,
            runs,
            allow_different,
        } => {
            let allowed = allow_different.iter().copied().map(Into::into);
            save(&args.store, name, runs, &allowed.collect::<Vec<_>>())
        }
        BaselineAction::List => list(&args.store),
    }
}

/// Reads the runs of a baseline.
pub(crate) fn read(store: &BaselineStore, name: &str) -> anyhow::Result<RunSet> {
    let folder = folder(store, name)?;
    if !folder.is_dir() {
        bail!(
            "there is no baseline `{name}` in {}: create it with `headcount baseline save {name} RUN`",
            store.baselines.display()
        );
    }
    read_runs(&folder)
}

fn folder(store: &BaselineStore, name: &str) -> anyhow::Result<PathBuf> {
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        bail!(
            "`{name}` is not a name for a baseline: use letters, digits, `-`, `_` and `.`, and no `.` at the start"
        );
    }
    Ok(store.baselines.join(name))
}

fn save(
    store: &BaselineStore,
    name: &str,
    paths: &[PathBuf],
    allowed: &[ObstacleKind],
) -> anyhow::Result<Exit> {
    let folder = folder(store, name)?;
    let mut new = RunSet::default();
    for path in paths {
        new.extend(read_runs(path)?);
    }
    let has_files = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    let kept = if has_files {
        read_runs(&folder)?
    } else {
        RunSet::default()
    };
    refuse_different(&kept, &new, allowed)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut known = 0;
    for run in &mut new.runs {
        known += u64::from(folder.join(file_name(run)).exists());
        // Comparisons do not use the course of the run, which is most of the record.
        run.levels.iter_mut().for_each(|level| level.series.clear());
        let text = record::to_json(run).context("cannot encode the record")?;
        save_text(&folder, &file_name(run), &text)?;
    }
    let all = read_runs(&folder)?.runs;
    let known = match known {
        0 => String::new(),
        known => format!(" ({} there before)", format::count(known)),
    };
    say(&format!(
        "baseline {name}: {} from {}{known}",
        format::plural(all.len() as u64, "run"),
        format::plural(days(&all), "day")
    ));
    Ok(Exit::Passed)
}

/// Refuses runs that differ from those of the baseline, or whose levels are invalid, because every later comparison with the
/// baseline would be refused.
fn refuse_different(kept: &RunSet, new: &RunSet, allowed: &[ObstacleKind]) -> anyhow::Result<()> {
    let runs: Vec<&Run> = kept.runs.iter().chain(&new.runs).collect();
    let mut obstacles = obstacles(&runs);
    obstacles.retain(|obstacle| !allowed.contains(&obstacle.kind));
    if obstacles.is_empty() {
        return Ok(());
    }
    let files = kept.files.iter().chain(&new.files);
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    bail!(
        "nothing was saved, because a comparison with this baseline would be refused\n  {}",
        report::not_comparable(&obstacles, &files)
    )
}

/// The same run always gets the same name, so that it is never counted twice.
fn file_name(run: &Run) -> String {
    let started: String = run
        .started_at
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    format!("{started}-{}.json", run.seed)
}

fn days(runs: &[Run]) -> u64 {
    let dates = runs.iter().map(|run| run.started_at.split('T').next());
    dates.collect::<BTreeSet<_>>().len() as u64
}

fn list(store: &BaselineStore) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    let entries = fs::read_dir(&store.baselines).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    for folder in folders {
        let runs = read_runs(&folder)?.runs;
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let newest = runs.iter().map(|run| run.started_at.clone()).max();
        rows.push(Row::plain(vec![
            Some(name),
            Some(count(runs.len() as u64)),
            Some(count(days(&runs))),
            newest,
        ]));
    }
    if rows.is_empty() {
        say(&format!("no baselines in {}", store.baselines.display()));
        return Ok(Exit::Passed);
    }
    let columns = vec![
        Column::words("baseline"),
        Column::number("runs"),
        Column::number("days"),
        Column::words("newest run"),
    ];
    print(&(Table::new(columns, rows).text(colour()).join("\n") + "\n"))?;
    Ok(Exit::Passed)
}
