//! `headcount-registry`: the registry as a separate program.

use std::process::ExitCode;

use clap::Parser;
use registry::{Config, ServeError};

/// A multicast to thousands of receivers allocates for each of them, and mimalloc makes allocation cheapest.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A registry: identities register with metadata, are found by filters, and receive multicast messages
#[derive(Parser)]
#[command(name = "headcount-registry", version)]
struct Cli {
    #[command(flatten)]
    config: Config,
}

fn main() -> ExitCode {
    kit::program::run(
        |cli: Cli, announce| registry::serve(&cli.config, announce),
        ServeError::is_usage,
    )
}
