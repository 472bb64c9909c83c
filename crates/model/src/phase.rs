/// Where a level is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelPhase {
    /// Groups start, or the rate rises. Not measured.
    #[default]
    RampUp,
    /// All groups are at work. Not measured.
    WarmUp,
    /// The measured time.
    Measurement,
    /// After it: waiting for operations and deliveries in flight.
    Settling,
}
