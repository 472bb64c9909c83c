//! Did everybody who should get it get it?
//!
//! A sender puts a [`Stamp`] into a payload. The [`Ledger`] of its group notes who must get the
//! message, which is fixed at the moment of sending, and gives every delivery exactly one fate. What
//! came of all of them is in a [`Tally`] for each kind of message.
//!
//! This crate reads no clock, file, socket or environment variable: times are handed in.

mod base64url;
mod bits;
mod channel;
mod departures;
mod documents;
mod fates;
mod json;
mod ledger;
mod message;
mod stamp;
mod tally;

pub use channel::Audience;
pub use departures::{CutOff, Leaving};
pub use documents::{Documents, Framing, RECORD_SEPARATOR, TooLong};
pub use json::Pointer;
pub use ledger::{ChannelIndex, Ledger, Receipt, Sent};
pub use stamp::{Garbled, STAMP_LENGTH, Stamp, find_stamp, stamps_from, stamps_in};
pub use tally::{Fate, Tally};
