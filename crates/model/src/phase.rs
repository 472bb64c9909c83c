/// The current phase of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelPhase {
    /// Groups start, or the rate rises. Not measured.
    #[default]
    RampUp,
    /// All groups are running. Not measured.
    WarmUp,
    /// The measured time.
    Measurement,
    /// The measured time has ended. headcount waits for operations and deliveries in flight.
    Settling,
}
