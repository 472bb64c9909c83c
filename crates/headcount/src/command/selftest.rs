use selftest::{SelftestError, Settings, Verdict};
use stage::Notice;

use crate::args::SelftestArgs;
use crate::command::run::stop_on_ctrl_c;
use crate::command::stage::stage;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::screen::{complain, print};

/// `headcount selftest`
pub(crate) fn selftest(args: &SelftestArgs) -> anyhow::Result<Exit> {
    let stop = stop_on_ctrl_c()?;
    let mut progress = Progress::new(args.quiet);
    let mut tell = |notice: Notice<'_>| match notice {
        Notice::Part {
            number,
            parts,
            title,
        } => progress.title(&format!("{number} of {parts}: {title}")),
        Notice::Run(notice) => progress.show(notice),
        Notice::Done { .. } => {}
    };
    let outcome = selftest::selftest(&settings(args)?, &stop, &mut tell);
    progress.close();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why @ SelftestError::Unknown(..)) => {
            complain(&why.into());
            return Ok(Exit::Usage);
        }
        Err(why) => return Err(why.into()),
    };
    if args.json {
        print(&format!("{:#}\n", outcome.to_json()))?;
    } else {
        print(&outcome.terminal())?;
    }
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

fn settings(args: &SelftestArgs) -> anyhow::Result<Settings> {
    let lie = args.lie.iter().map(|lie| format!("--lie={lie}"));
    Ok(Settings {
        stage: stage(args.seed)?,
        deliveries: args.deliveries,
        only: args.only.clone(),
        server_flags: lie.collect(),
    })
}
