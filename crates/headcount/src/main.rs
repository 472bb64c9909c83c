//! `headcount`: how many people can it really hold?
//!
//! No other crate prints, exits or reads the command line.

mod args;
mod command;
mod env;
mod exit;
mod folder;
mod hurry;
mod outputs;
mod progress;
mod save;
mod saved_runs;
mod screen;

use std::borrow::Cow;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::Exit;

/// The fastest allocator for many small objects, which `QuickJS` and the built-in systems allocate.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    take_small_pages();
    if let Some(result) = command::end_with_parent::requested(std::env::args_os()) {
        return result
            .unwrap_or_else(|error| screen::complain(&error))
            .into();
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            complain_of_arguments(&error);
            return if error.use_stderr() {
                Exit::Usage.into()
            } else {
                Exit::Passed.into()
            };
        }
    };
    let result = match args.command {
        #[cfg(feature = "systems")]
        Command::Demo(args) => command::demo::demo(&args),
        #[cfg(feature = "systems")]
        Command::Study(args) => command::study::study(&args),
        Command::Run(args) => command::run::run(&args),
        Command::Agent(args) => command::agent::agent(args),
        Command::Find(args) => command::find::find(&args),
        Command::Bench(args) if args.search.find => command::find::find_url(&args),
        Command::Bench(args) => command::bench::bench(&args),
        Command::Report(args) => command::report::report(&args),
        Command::Compare(args) => command::compare::compare(&args),
        Command::Baseline(args) => command::baseline::baseline(&args),
        Command::Audit(args) => command::audit::audit(&args),
        #[cfg(feature = "systems")]
        Command::Serve(args) => command::serve::serve(args),
        #[cfg(feature = "systems")]
        Command::Selftest(args) => command::selftest::selftest(&args),
        Command::Init(args) => command::init::init(&args),
        Command::Man(args) => command::man::man(&args),
        Command::Completions(args) => command::completions::completions(&args),
    };
    result
        .unwrap_or_else(|error| screen::complain(&error))
        .into()
}

/// Prints an error of clap. The error quotes arguments, so credentials in URLs are removed first.
fn complain_of_arguments(error: &clap::Error) {
    let text = error.render().to_string();
    if matches!(model::without_credentials(&text), Cow::Owned(_)) {
        screen::say(text.trim_end());
    } else {
        let _ = error.print(); // if this fails, the exit code is the only report
    }
}

/// Disables transparent huge pages. When a page of 2 MB is first used, the kernel takes milliseconds to clear it. This
/// would stall a measurement, and slow down the start for memory that is barely used.
fn take_small_pages() {
    // If the kernel refuses, the cost shows in the measured start lag.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
