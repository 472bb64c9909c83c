//! The windows of a level's time series.

use record::{Level, Window};

/// Windows start at whole seconds, up to this error.
const ROUNDING: f64 = 1e-6;

/// Length of a window in seconds.
const WIDTH_S: f64 = 1.0;

/// Returns the windows that start in the measured time.
pub(crate) fn measured(level: &Level) -> impl Iterator<Item = &Window> {
    let (from, until) = bounds(level);
    let windows = level.series.iter();
    windows.filter(move |window| window.start_s + ROUNDING >= from && window.start_s < until)
}

/// Returns the windows that start and end in the measured time.
pub(crate) fn complete(level: &Level) -> impl Iterator<Item = &Window> {
    let (_, until) = bounds(level);
    measured(level).filter(move |window| window.start_s + WIDTH_S <= until + ROUNDING)
}

/// Start and end of the measured time, in seconds since the start of the level.
fn bounds(level: &Level) -> (f64, f64) {
    let from = level.phases.ramp_s + level.phases.warmup_s;
    (from, from + level.phases.duration_s)
}
