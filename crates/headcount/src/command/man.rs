use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Args, ManArgs};
use crate::exit::Exit;

/// `headcount man`
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Args::command(), folder))
        .with_context(|| format!("cannot write the manual pages to {}", folder.display()))?;
    Ok(Exit::Passed)
}
