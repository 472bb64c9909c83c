//! `headcount-editor`: the editor as a separate program.

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
    kit::program::run(
        |cli: Cli, announce| editor::serve(&cli.config, announce),
        ServeError::is_usage,
    )
}
