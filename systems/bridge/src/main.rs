//! `headcount-bridge`: the bridge as a separate program.

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
    kit::program::run(
        |cli: Cli, announce| bridge::serve(&cli.config, announce),
        ServeError::is_usage,
    )
}
