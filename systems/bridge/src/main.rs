//! `headcount-bridge`: the bridge as a separate program.

use std::io::{self, Write};
use std::process::ExitCode;

use bridge::{Config, ServeError};
use clap::Parser;

/// Half of the cost of a small request is allocation, and mimalloc makes allocation cheapest.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A chat server: users talk in rooms, with each other and with an agent
#[derive(Parser)]
#[command(name = "headcount-bridge", version)]
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
    match bridge::serve(cli.config, announce) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            match error {
                ServeError::Config(_) => ExitCode::from(2),
                ServeError::Io(_) => ExitCode::FAILURE,
            }
        }
    }
}
