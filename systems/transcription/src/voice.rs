//! Voice activity: which parts of a stream are speech, and where an utterance begins and ends.
//!
//! This module does no I/O and reads no clock. Positions are numbers of samples since the start of the stream.

mod detector;
mod endpoint;
mod model;

pub(crate) use detector::Detector;
pub(crate) use endpoint::{Endpointer, Event, Span};
