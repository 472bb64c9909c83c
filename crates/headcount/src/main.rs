//! `headcount`: how many people can it really hold?
//!
//! The only crate that prints, exits and reads the command line. Everything else is on lower floors.

mod args;
mod command;
mod exit;
mod folder;
mod hurry;
mod progress;
mod save;
mod screen;

use std::borrow::Cow;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::Exit;

/// `QuickJS` and the servers allocate small things all the time; this one is the cheapest at it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    take_small_pages();
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
        Command::Study(args) => command::study::study(&args),
        Command::Run(args) => command::run::run(&args),
        Command::Bench(args) => command::bench::bench(&args),
        Command::Report(args) => command::report::report(&args),
        Command::Audit(args) => command::audit::audit(&args),
        Command::Serve(args) => command::serve::serve(args),
        Command::Selftest(args) => command::selftest::selftest(&args),
        Command::Init(args) => command::init::init(&args),
        Command::Completions(args) => command::completions::completions(&args),
    };
    result
        .unwrap_or_else(|error| screen::complain(&error))
        .into()
}

/// What was typed is quoted there: a URL may hold credentials.
fn complain_of_arguments(error: &clap::Error) {
    let text = error.render().to_string();
    if matches!(model::without_credentials(&text), Cow::Owned(_)) {
        screen::say(text.trim_end());
    } else {
        let _ = error.print(); // where even this cannot be written, the exit code has to do
    }
}

/// The first touch of a page of 2 MB costs milliseconds in which the kernel clears it: in the middle of what is
/// measured, and at the start, for memory that is hardly used.
fn take_small_pages() {
    // Where it is refused, the start lag says what it cost.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
