//! Checks that every message reached all members who must receive it.
//!
//! A sender puts a [`Stamp`] into a payload. When the message is sent, the [`Ledger`] of the sender's group fixes its
//! audience: the members who must receive it. The ledger gives every delivery exactly one fate. A [`Tally`] per channel
//! counts the fates.
//!
//! This crate reads no clock, file, socket or environment variable: the caller passes all times.

mod base64url;
mod bits;
mod broadcast;
mod broadcast_fates;
mod channel;
mod departures;
mod documents;
mod fates;
mod json;
mod ledger;
mod listeners;
mod message;
mod overheard;
mod pairs;
mod sent;
mod stamp;
mod tally;

pub use broadcast::{BroadcastChannel, BroadcastLog};
pub use broadcast_fates::Broadcasts;
pub use channel::Audience;
pub use departures::{CutOff, Leaving};
pub use documents::{
    Documents, Framing, RECORD_SEPARATOR, TooLong, objects_in_array, separator_of_cut_documents,
};
pub use json::Pointer;
pub use ledger::{Ledger, Receipt};
pub use listeners::Listeners;
pub use sent::{ChannelIndex, Sent};
pub use stamp::{
    Garbled, STAMP_LENGTH, Stamp, each_stamp_from, find_stamp, stamps_from, stamps_in,
};
pub use tally::{Fate, Tally};
