/// A published number: what is printed, how far the true value may lie from it, and where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// As printed, in the unit of its field.
    pub value: f64,
    /// How far the true value may lie to either side by rounding, cutting off or the resolution of a histogram.
    pub slack: f64,
    /// Where it stands: `report.md:27`, or the path inside of a JSON file.
    pub at: String,
}

impl Figure {
    /// A count, or a number that was printed with all its digits.
    pub fn exact(value: f64, at: impl Into<String>) -> Self {
        Self::rounded(value, 0.0, at)
    }

    /// A number whose true value lies within `slack` of it.
    pub fn rounded(value: f64, slack: f64, at: impl Into<String>) -> Self {
        let at = at.into();
        Self { value, slack, at }
    }

    /// The smallest that the true value can be.
    pub fn low(&self) -> f64 {
        self.value - self.slack
    }

    /// The largest that the true value can be.
    pub fn high(&self) -> f64 {
        self.value + self.slack
    }
}
