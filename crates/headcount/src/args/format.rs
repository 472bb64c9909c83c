use clap::ValueEnum;

/// Output format of a saved run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One screen of text
    Terminal,
    /// The full report in Markdown
    Markdown,
    /// The full report with charts, as one page of HTML
    Html,
    /// The JSON summary for scripts
    Json,
    /// JUnit XML for CI systems: one case for each threshold in each level
    Junit,
    /// CSV: one row for each operation in each level
    Csv,
    /// CSV: one row for each second
    CsvSeries,
    /// The highest load that held, as JSON for a badge of shields.io
    Badge,
}

impl Format {
    /// Whether the format has only rows of figures, and no words about the run.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::CsvSeries)
    }
}
