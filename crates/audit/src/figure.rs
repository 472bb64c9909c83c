/// A published number with its precision and its place in the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The printed value, in the unit of its field.
    pub value: f64,
    /// The maximum distance of the true value from `value` in either direction, because of rounding, truncation or a
    /// histogram's bins.
    pub slack: f64,
    /// The place of the figure in its source: `report.md:27`, or a path inside a JSON file.
    pub at: String,
}

impl Figure {
    /// Creates a figure without slack: a count, or a number that was printed with all its digits.
    pub fn exact(value: f64, at: impl Into<String>) -> Self {
        Self::rounded(value, 0.0, at)
    }

    /// Creates a figure whose true value is within `slack` of the printed one.
    pub fn rounded(value: f64, slack: f64, at: impl Into<String>) -> Self {
        let at = at.into();
        Self { value, slack, at }
    }

    /// Returns the smallest possible true value.
    pub fn low(&self) -> f64 {
        self.value - self.slack
    }

    /// Returns the largest possible true value.
    pub fn high(&self) -> f64 {
        self.value + self.slack
    }
}
