//! `headcount-marketplace`: the marketplace as a separate program.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use marketplace::{Config, ServeError};

/// mimalloc is the cheapest allocator for the many short-lived allocations of requests.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A marketplace with escrow: buyers post requests, sellers make offers
#[derive(Parser)]
#[command(name = "headcount-marketplace", version)]
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
    match marketplace::serve(cli.config, announce) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            match error {
                ServeError::Config(_) | ServeError::Door(_) => ExitCode::from(2),
                ServeError::Store(_) | ServeError::Hash(_) | ServeError::Io(_) => ExitCode::FAILURE,
            }
        }
    }
}
