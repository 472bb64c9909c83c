use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::Exit;
use crate::screen::print;

/// `headcount completions`
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "headcount", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Passed)
}
