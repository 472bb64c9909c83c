//! The stand-alone program of a system. It prints the URL, and errors, and chooses the exit code.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

/// Prints the URL on which a system listens.
pub type Announce = fn(&str) -> io::Result<()>;

/// Reads the command line and runs `serve`. If that fails, the exit code is 2 if `is_usage` blames the configuration,
/// and 1 otherwise.
pub fn run<Cli: Parser, E: Display>(
    serve: impl FnOnce(Cli, Announce) -> Result<(), E>,
    is_usage: impl FnOnce(&E) -> bool,
) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // If the message cannot be written, the exit code still reports the error.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match serve(cli, |url| writeln!(io::stdout(), "listening on {url}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            if is_usage(&error) {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
