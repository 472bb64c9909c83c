use std::fs;

use anyhow::Context as _;

use crate::args::{Format, ReportArgs};
use crate::exit::Exit;
use crate::screen::{print, terminal};

/// `headcount report`
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    let path = if args.run.is_dir() {
        args.run.join("run.json")
    } else {
        args.run.clone()
    };
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let run = record::from_json(&text).with_context(|| format!("cannot use {}", path.display()))?;
    print(&match args.format {
        Format::Terminal => report::terminal(&run, terminal(None)),
        Format::Markdown => report::markdown(&run),
        Format::Html => report::html(&run),
        Format::Json => format!("{:#}\n", record::summary(&run)),
    })?;
    Ok(Exit::Passed)
}
