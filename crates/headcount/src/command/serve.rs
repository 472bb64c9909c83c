use std::io::{self, Write as _};

use crate::args::{ServeArgs, System};
use crate::exit::Exit;
use crate::screen::complain;

/// `headcount serve`. An invalid configuration is a usage error. If an address or database is not available, the exit
/// code is 1, as in the stand-alone program of the system.
pub(crate) fn serve(args: ServeArgs) -> anyhow::Result<Exit> {
    let served: Result<(), (bool, anyhow::Error)> = match args.system {
        System::Bridge(config) => bridge::serve(&config, announce).map_err(|error| {
            let usage = error.is_usage();
            (usage, error.into())
        }),
        System::Editor(config) => editor::serve(&config, announce).map_err(|error| {
            let usage = error.is_usage();
            (usage, error.into())
        }),
        System::Marketplace(config) => marketplace::serve(&config, announce).map_err(|error| {
            let usage = error.is_usage();
            (usage, error.into())
        }),
        System::Registry(config) => registry::serve(&config, announce).map_err(|error| {
            let usage = error.is_usage();
            (usage, error.into())
        }),
        System::Transcription(config) => transcription::serve(&config, announce).map_err(|error| {
            let usage = error.is_usage();
            (usage, error.into())
        }),
        System::Truth(config) => {
            truth::serve(&config, announce).map_err(|error| (false, error.into()))
        }
        System::Faulty(config) => {
            faulty::serve(&config, announce).map_err(|error| (false, error.into()))
        }
    };
    match served {
        Ok(()) => Ok(Exit::Passed),
        Err((true, error)) => Err(error),
        Err((false, error)) => {
            complain(&error);
            Ok(Exit::Bug)
        }
    }
}

fn announce(url: &str) -> io::Result<()> {
    writeln!(io::stdout(), "listening on {url}")
}
