use std::path::Path;

use record::Run;

use crate::args::ReportArgs;
use crate::args::format::Format;
use crate::exit::Exit;
use crate::saved_runs::{earlier_run, read_run};
use crate::screen::{print, terminal};

/// `headcount report`
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    let run = read_run(&args.run)?;
    let folder = if args.run.is_dir() {
        Some(args.run.as_path())
    } else {
        args.run.parent()
    };
    let format = if args.html { Format::Html } else { args.format };
    print(&text_of(&run, format, folder)?)?;
    Ok(Exit::Passed)
}

/// The report of a run in this format. `folder` is the folder of the run: the page names what changed since the last run
/// beside it.
pub(crate) fn text_of(run: &Run, format: Format, folder: Option<&Path>) -> anyhow::Result<String> {
    Ok(match format {
        Format::Terminal => report::terminal(run, terminal(None)),
        Format::Markdown => report::markdown(run),
        Format::Html => {
            let last = folder.and_then(|folder| earlier_run(run, folder));
            report::html_after(run, last.as_ref())
        }
        Format::Junit => report::junit(run)?,
        Format::Csv => report::csv(run)?,
        Format::CsvSeries => report::csv_series(run)?,
        Format::Badge => report::badge(run),
        Format::Json => format!("{:#}\n", record::summary(run)),
    })
}
