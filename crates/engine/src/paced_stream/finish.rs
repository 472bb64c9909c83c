/// The reason why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// All chunks were sent, and all replies have arrived.
    Completed,
    /// Replies are missing after the time limit.
    RanOut,
    /// The socket has ended.
    Broke,
    /// headcount stops waiting.
    Left,
}
