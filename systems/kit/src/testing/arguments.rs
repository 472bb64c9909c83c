use clap::{Args, Parser};

/// A command line with the configuration of one system.
#[derive(Parser)]
struct Cli<C: Args> {
    #[command(flatten)]
    config: C,
}

/// Reads the configuration of a system from command-line arguments. Panics if they are invalid.
#[must_use]
pub fn config<C: Args>(arguments: &[&str]) -> C {
    let all = ["system"].iter().chain(arguments);
    Cli::try_parse_from(all).unwrap().config
}
