/// A published number with its precision and its place in the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The printed value, in the unit of its field.
    pub value: f64,
    /// The distance by which the true value may differ in either direction, due to rounding, cutting off or a
    /// histogram's bins.
    pub slack: f64,
    /// The place: `report.md:27`, or a path inside a JSON file.
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

    /// The smallest possible true value.
    pub fn low(&self) -> f64 {
        self.value - self.slack
    }

    /// The largest possible true value.
    pub fn high(&self) -> f64 {
        self.value + self.slack
    }
}
