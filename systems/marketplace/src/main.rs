//! `headcount-marketplace`: the marketplace as a separate program.

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
    kit::program::run(
        |cli: Cli, announce| marketplace::serve(&cli.config, announce),
        ServeError::is_usage,
    )
}
