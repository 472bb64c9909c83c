use model::Nanos;

use crate::level::Span;

/// Interval between samples of the processes of the target and the generator.
pub(super) const EVERY: Nanos = Nanos::from_secs(1);

/// Whether a sample is due: at the start of the measured time, every second in it, and once at its end.
pub(super) fn is_due(last: Option<Nanos>, now: Nanos, hold: Span) -> bool {
    match last {
        None => now >= hold.start,
        Some(last) => last < hold.end && (now >= last + EVERY || now >= hold.end),
    }
}
