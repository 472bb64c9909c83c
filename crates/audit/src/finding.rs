/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The statement may be true, but the figures do not show it.
    Doubtful,
    /// The statement does not follow from the figures.
    Unsupported,
    /// No measurement can have produced all stated figures.
    Impossible,
}

impl Severity {
    /// The word used in texts and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Impossible => "impossible",
            Self::Unsupported => "unsupported",
            Self::Doubtful => "doubtful",
        }
    }
}

/// A contradiction that a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The name of the rule.
    pub rule: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The level, row or claim in question: `multicast`, or `"scales linearly"`.
    pub subject: String,
    /// The places of the figures.
    pub at: Vec<String>,
    /// The contradiction, in one sentence.
    pub what: String,
    /// The arithmetic that shows the contradiction.
    pub arithmetic: String,
    /// What to measure instead.
    pub instead: &'static str,
}
