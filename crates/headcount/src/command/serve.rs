use std::io::{self, Write as _};

use crate::args::{ServeArgs, System};
use crate::exit::Exit;

/// `headcount serve`
pub(crate) fn serve(args: ServeArgs) -> anyhow::Result<Exit> {
    match args.system {
        System::Bridge(config) => {
            bridge::serve(*config, announce)?;
        }
        System::Editor(config) => editor::serve(*config, announce)?,
        System::Truth(config) => truth::serve(&config, announce)?,
    }
    Ok(Exit::Passed)
}

fn announce(url: &str) -> io::Result<()> {
    writeln!(io::stdout(), "listening on {url}")
}
