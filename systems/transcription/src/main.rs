//! `headcount-transcription`: the transcription service as a separate program.

use std::process::ExitCode;

use clap::Parser;
use transcription::{Config, ServeError};

/// Each chunk allocates its message and its reply, and mimalloc makes allocation cheapest.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A transcription service: speech is streamed over WebSocket or posted, and comes back as text
#[derive(Parser)]
#[command(name = "headcount-transcription", version)]
struct Cli {
    #[command(flatten)]
    config: Config,
}

fn main() -> ExitCode {
    kit::program::run(
        |cli: Cli, announce| transcription::serve(&cli.config, announce),
        ServeError::is_usage,
    )
}
