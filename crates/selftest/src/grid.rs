//! The grid of misbehaviour: every kind of scenario combined with every kind of misbehaviour. A seed decides everything
//! else.
//!
//! Each cell is a short run of headcount in a separate process. Its target is a port of the faulty server
//! (`serve faulty`, started by [`harness`]), which misbehaves as configured and logs its actions. The log alone shows
//! which thresholds hold. The program's verdicts and figures must agree with the log: never *passed* if a threshold is
//! broken, never *failed* if all hold, and no figure that the log contradicts.

mod cell;
mod dice;
mod judge;
mod kind;
mod log;
mod parameters;
mod program;
mod room;
mod sample;
mod scene;
mod table;
mod thresholds;
mod truth;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use engine::Stop;
use harness::{HarnessError, System};

use crate::evidence::SelftestError;
use crate::tell;
use cell::Cell;
use dice::Dice;
use judge::{Outcome, judge};
use kind::{FAULTS, KINDS};
use log::Log;
use program::{folder_of, run};
pub use table::GridOutcome;

/// The settings of the grid.
#[derive(Clone, Debug)]
pub struct GridSettings {
    /// Path of the headcount program, which runs each cell and the faulty server.
    pub exe: PathBuf,
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of cells.
    pub cells: usize,
    /// The number of cells that run concurrently.
    pub at_once: usize,
    /// Texts of which a cell's name must contain at least one. A complete name selects one cell. If empty, all cells
    /// are run.
    pub only: Vec<String>,
    /// The folder that contains one folder per cell. Only the folders of wrong cells are kept.
    pub folder: PathBuf,
}

/// Runs the cells. After a stop, it finishes the cells in progress. `tell` receives three numbers: finished cells, all
/// cells, and wrong cells.
pub fn grid(
    settings: &GridSettings,
    stop: &Stop,
    tell: &mut dyn FnMut(usize, usize, usize),
) -> Result<GridOutcome, SelftestError> {
    let cells = choose(settings)?;
    let system = System::start(&settings.exe, "faulty", &[], &[]).map_err(HarnessError::System)?;
    let next = AtomicUsize::new(0);
    let (sender, done) = channel();
    let mut outcome = GridOutcome::new(settings.seed);
    thread::scope(|scope| {
        for _ in 0..settings.at_once.clamp(1, cells.len().max(1)) {
            let (sender, cells, next, system) = (sender.clone(), &cells, &next, &system);
            scope.spawn(move || {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.asked() > 0 {
                        return;
                    }
                    let played = play(cell, system.url(), settings);
                    // Sending fails only if the caller no longer waits for results.
                    if sender.send((cell, played)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (number, (cell, played)) in (1..).zip(done) {
            outcome.add(cell, played, &settings.folder);
            tell(number, cells.len(), outcome.wrong_cells());
        }
    });
    outcome.interrupted = stop.asked() > 0;
    Ok(outcome)
}

/// Returns the cells to run: each combination in turn, with a seed that is derived from the main seed.
fn choose(settings: &GridSettings) -> Result<Vec<Cell>, SelftestError> {
    let whole: Vec<Cell> = settings
        .only
        .iter()
        .filter_map(|name| Cell::named(name))
        .collect();
    if !whole.is_empty() {
        return Ok(whole);
    }
    let mut combinations = Vec::new();
    for (kind, (fault, name)) in KINDS
        .iter()
        .flat_map(|kind| FAULTS.map(|fault| (kind, fault)))
    {
        let name = format!("{}/{name}", kind.name);
        let is_wanted =
            settings.only.is_empty() || settings.only.iter().any(|part| name.contains(part));
        if fault.fits(kind) && is_wanted {
            combinations.push((*kind, fault));
        }
    }
    if combinations.is_empty() {
        let known = KINDS.map(|kind| kind.name).join(", ");
        return Err(SelftestError::Unknown(settings.only.join(", "), known));
    }
    let mut dice = Dice::new(settings.seed);
    // The order is random, so that even a small number of cells covers all kinds.
    for place in (1..combinations.len()).rev() {
        let other = dice.between(0, place as u64);
        combinations.swap(place, usize::try_from(other).unwrap_or(0));
    }
    let in_turn = combinations.iter().cycle().take(settings.cells);
    Ok(in_turn
        .map(|(kind, fault)| Cell::new(*kind, *fault, dice.next() >> 32))
        .collect())
}

/// Runs one cell: configures the fault, runs the program, fetches the log, and judges the program's statements.
fn play(cell: &Cell, server: &str, settings: &GridSettings) -> io::Result<Outcome> {
    let opened = tell::call(server, "POST", "/cells", Some(&cell.order()))?;
    let port = opened["port"]
        .as_u64()
        .and_then(|port| u16::try_from(port).ok());
    let port = port.ok_or_else(|| io::Error::other("the faulty server reported no port"))?;
    let folder = folder_of(&settings.folder, cell);
    let ended = run(&settings.exe, cell, port, &folder);
    let number = opened["number"].as_u64().unwrap_or(0);
    let log = tell::call(server, "DELETE", &format!("/cells/{number}"), None)?;
    let outcome = judge(cell, &ended?, &Log::of(&log));
    if outcome.count(judge::Judged::Wrong) > 0 {
        std::fs::write(folder.join("server.json"), log.to_string())?;
    } else {
        remove(&folder);
    }
    Ok(outcome)
}

fn remove(folder: &Path) {
    // A folder that cannot be removed causes no harm.
    let _ = std::fs::remove_dir_all(folder);
}
