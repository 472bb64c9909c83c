//! Audio as clients send it, converted to what the recognisers need: 16-bit samples, mono, 16 kHz.
//!
//! This module does no I/O and reads no clock.

mod format;
mod intake;
mod resample;
mod wav;

pub(crate) use format::{AudioError, Format};
pub(crate) use intake::Intake;

/// Samples per second of all audio inside the service.
pub(crate) const RATE: u32 = 16_000;

/// Duration of a number of samples in milliseconds.
pub(crate) fn millis(samples: u64) -> f64 {
    samples as f64 * 1000.0 / f64::from(RATE)
}
