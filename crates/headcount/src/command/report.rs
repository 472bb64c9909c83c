use record::Run;

use crate::args::ReportArgs;
use crate::args::format::Format;
use crate::exit::Exit;
use crate::saved_runs::read_run;
use crate::screen::{print, terminal};

/// `headcount report`
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    print(&text_of(&read_run(&args.run)?, args.format)?)?;
    Ok(Exit::Passed)
}

/// The report of a run in this format.
pub(crate) fn text_of(run: &Run, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Terminal => report::terminal(run, terminal(None)),
        Format::Markdown => report::markdown(run),
        Format::Html => report::html(run),
        Format::Junit => report::junit(run)?,
        Format::Csv => report::csv(run)?,
        Format::CsvSeries => report::csv_series(run)?,
        Format::Badge => report::badge(run),
        Format::Json => format!("{:#}\n", record::summary(run)),
    })
}
