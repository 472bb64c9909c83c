//! `headcount-editor`: the editor as a separate program.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use editor::{Config, ServeError};

/// Each message is allocated once, and mimalloc is the cheapest allocator for that pattern.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A collaborative text editor
#[derive(Parser)]
#[command(name = "headcount-editor", version)]
struct Cli {
    #[command(flatten)]
    config: Config,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // If the message cannot be written, the exit code still reports the error.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    let announce = |url: &str| writeln!(io::stdout(), "listening on {url}");
    match editor::serve(cli.config, announce) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            match error {
                ServeError::Config(_) => ExitCode::from(2),
                ServeError::Bus(_) | ServeError::Store(_) | ServeError::Io(_) => ExitCode::FAILURE,
            }
        }
    }
}
