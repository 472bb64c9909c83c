use harness::Notice;
use selftest::{FindingsSettings, GridSettings, SelftestError, Settings, Verdict};
use serde_json::Value;

use crate::args::SelftestArgs;
use crate::command::generator::fresh_seed;
use crate::command::harness::harness;
use crate::exit::Exit;
use crate::hurry::stop_on_ctrl_c;
use crate::progress::Progress;
use crate::screen::{complain, print};

/// `headcount selftest`
pub(crate) fn selftest(args: &SelftestArgs) -> anyhow::Result<Exit> {
    if args.thorough {
        return thorough(args);
    }
    if args.findings {
        return findings(args);
    }
    let stop = stop_on_ctrl_c()?;
    let mut progress = Progress::new(args.screen.quiet);
    let outcome = selftest::selftest(&settings(args)?, &stop, &mut |notice| {
        show(&mut progress, notice);
    });
    progress.close();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return refused(why),
    };
    print_outcome(args, || outcome.to_json(), || outcome.terminal())?;
    Ok(if stop.asked() > 0 {
        Exit::Interrupted
    } else {
        match outcome.verdict() {
            Verdict::Ok => Exit::Passed,
            Verdict::Differs => Exit::Bug,
            Verdict::Disturbed => Exit::Inconclusive,
        }
    })
}

fn show(progress: &mut Progress, notice: Notice<'_>) {
    match notice {
        Notice::Part {
            number,
            parts,
            title,
        } => progress.title(&format!("{number} of {parts}: {title}")),
        Notice::Run(notice) => progress.show(&notice),
        Notice::Done { .. } => {}
    }
}

/// Prints an outcome in the form that the user wants.
fn print_outcome(
    args: &SelftestArgs,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    if args.screen.json {
        print(&format!("{:#}\n", json()))
    } else {
        print(&text())
    }
}

/// Reports an error of the self-test. An unknown part or kind counts as a usage error.
fn refused(why: SelftestError) -> anyhow::Result<Exit> {
    if !matches!(why, SelftestError::Unknown(..)) {
        return Err(why.into());
    }
    complain(&why.into());
    Ok(Exit::Usage)
}

fn settings(args: &SelftestArgs) -> anyhow::Result<Settings> {
    let lie = args.lie.iter().map(|lie| format!("--lie={lie}"));
    Ok(Settings {
        harness: harness(args.seed)?,
        deliveries: args.deliveries,
        only: args.only.clone(),
        server_flags: lie.collect(),
    })
}

/// `headcount selftest --findings`
fn findings(args: &SelftestArgs) -> anyhow::Result<Exit> {
    let stop = stop_on_ctrl_c()?;
    let settings = FindingsSettings {
        harness: harness(args.seed)?,
        rounds: args.rounds,
        only: args.only.clone(),
    };
    let mut progress = Progress::new(args.screen.quiet);
    let outcome = selftest::findings(&settings, &stop, &mut |notice| {
        show(&mut progress, notice);
    });
    progress.close();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return refused(why),
    };
    print_outcome(args, || outcome.to_json(), || outcome.terminal())?;
    Ok(
        match (outcome.wrong(), outcome.missed() + outcome.disturbed()) {
            _ if outcome.interrupted => Exit::Interrupted,
            (0, 0) => Exit::Passed,
            (0, _) => Exit::Inconclusive,
            _ => Exit::Bug,
        },
    )
}

/// `headcount selftest --thorough`
fn thorough(args: &SelftestArgs) -> anyhow::Result<Exit> {
    let stop = stop_on_ctrl_c()?;
    let seed = args
        .seed
        .map_or_else(|| fresh_seed().map(|seed| seed >> 21), Ok)?;
    let folder = std::env::temp_dir().join(format!("headcount-grid-{}", std::process::id()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let settings = GridSettings {
        exe: std::env::current_exe()?,
        seed,
        cells: usize::try_from(args.cells).unwrap_or(usize::MAX),
        at_once: args.at_once.unwrap_or(4 * cores),
        only: args.only.clone(),
        folder: folder.clone(),
    };
    let mut progress = Progress::new(args.screen.quiet);
    let outcome = selftest::grid(&settings, &stop, &mut |done, all, wrong| {
        if done % 100 == 0 || done == all {
            progress.title(&format!("{done} of {all} runs, {wrong} wrong"));
        }
    });
    progress.close();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return refused(why),
    };
    // Folders of wrong cells are kept for inspection: `remove_dir` removes only an empty folder.
    let _ = std::fs::remove_dir(&folder);
    print_outcome(args, || outcome.to_json(), || outcome.terminal())?;
    Ok(match (outcome.wrong_cells(), outcome.interrupted) {
        (1.., _) => Exit::Bug,
        (_, true) => Exit::Interrupted,
        _ => Exit::Passed,
    })
}
