use engine::Clock;
use harness::{Part, PreparedPart};
use plan::Overrides;

use crate::args::DemoArgs;
use crate::command::harness::harness;
use crate::command::run::{Asked, finish, run_until};
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::stop_on_ctrl_c;
use crate::outputs::Outputs;
use crate::screen::say;

/// The starter scenario. A new user sees the same scenario again after `headcount init`.
const CHAT: Part = Part {
    name: "demo",
    title: "people talk in five rooms",
    file: "scenario.ts",
    source: include_str!("../../../../scenarios/starter.ts"),
    modules: &[],
};

const NEXT: &str = "
That was a built-in chat server. Next:
  headcount bench URL     load one URL of yours, without a script
  headcount init DIR      write this scenario, to adapt it to your system
  headcount run --help    all options of a run";

/// `headcount demo`
pub(crate) fn demo(args: &DemoArgs) -> anyhow::Result<Exit> {
    let clock = Clock::start();
    let folder = RunFolder::claim(args.out.as_deref(), &clock.started_at())?;
    if !args.screen.quiet {
        say("starting the built-in chat server, then 20, 100 and 300 people");
    }
    let overrides = Overrides {
        users: Some("20,100,300".to_owned()),
        duration: Some("5s".to_owned()),
        ..Overrides::default()
    };
    let stop = stop_on_ctrl_c()?; // before the server starts, so that Ctrl-C always ends it
    let prepared = harness(None)?.prepare(&CHAT, ("bridge", &[]), overrides)?;
    let PreparedPart { config, system, .. } = prepared;
    let outcome = run_until(
        &stop,
        config,
        clock,
        args.screen.quiet,
        &mut Outputs::default(),
    );
    drop(system);
    let exit = finish(&outcome, Some(folder.path()), args.screen.json, Asked::Run)?;
    if !args.screen.quiet {
        say(NEXT);
    }
    Ok(exit)
}
