/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A reader should be wary: true perhaps, and not shown.
    Doubtful,
    /// What is said does not follow from the figures.
    Unsupported,
    /// No measurement can have led to all that is stated.
    Impossible,
}

impl Severity {
    /// As people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Impossible => "impossible",
            Self::Unsupported => "unsupported",
            Self::Doubtful => "doubtful",
        }
    }
}

/// One contradiction.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Of which rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Of which level, row or claim: `multicast`, or `"scales linearly"`.
    pub subject: String,
    /// Where the figures stand.
    pub at: Vec<String>,
    /// What is wrong, a sentence.
    pub what: String,
    /// The arithmetic that shows it.
    pub arithmetic: String,
    /// What to measure instead.
    pub instead: &'static str,
}
