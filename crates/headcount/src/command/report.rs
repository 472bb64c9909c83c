use crate::args::{Format, ReportArgs};
use crate::exit::Exit;
use crate::saved_runs::read_run;
use crate::screen::{print, terminal};

/// `headcount report`
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<Exit> {
    let run = read_run(&args.run)?;
    print(&match args.format {
        Format::Terminal => report::terminal(&run, terminal(None)),
        Format::Markdown => report::markdown(&run),
        Format::Html => report::html(&run),
        Format::Junit => report::junit(&run)?,
        Format::Csv => report::csv(&run)?,
        Format::CsvSeries => report::csv_series(&run)?,
        Format::Json => format!("{:#}\n", record::summary(&run)),
    })?;
    Ok(Exit::Passed)
}
