use delivery::{Garbled, Pointer, Stamp, each_stamp_from, stamps_in};
use model::Fault;
use script::host::StampAt;

use crate::filter::pointer;

/// The place in a message where a channel looks for its stamps.
#[derive(Debug)]
pub(crate) enum Place {
    Anywhere,
    /// In the value at this pointer.
    Value(Pointer),
    /// At this byte offset.
    Byte(usize),
}

impl Place {
    pub(crate) fn new(at: Option<StampAt>) -> Result<Self, Fault> {
        Ok(match at {
            None => Self::Anywhere,
            Some(StampAt::Pointer(at)) => Self::Value(pointer(&at)?),
            Some(StampAt::Byte(at)) => Self::Byte(at),
        })
    }

    /// The part of the message at this place: the whole message, the value, or the bytes from the offset on.
    pub(crate) fn of<'a>(&self, message: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Self::Anywhere => Some(message),
            Self::Value(at) => at.find(message),
            Self::Byte(at) => message.get(*at..),
        }
    }

    /// Calls `stamp` for each stamp at this place. `first` returns the position of the first stamp in the message. A
    /// message without a stamp is not parsed, and the part before the first stamp is not searched again.
    pub(crate) fn each_stamp(
        &self,
        message: &[u8],
        first: impl FnOnce() -> Option<usize>,
        stamp: impl FnMut(Result<Stamp, Garbled>),
    ) {
        match self {
            Self::Anywhere => each_stamp_from(message, first(), stamp),
            Self::Value(at) => {
                let value = first().and_then(|_| at.find(message));
                value.into_iter().flat_map(stamps_in).for_each(stamp);
            }
            Self::Byte(at) => Stamp::at(message, *at).into_iter().for_each(stamp),
        }
    }

    /// Calls `stamp` for each stamp in a result of [`Place::of`].
    pub(crate) fn each_stamp_of(&self, value: &[u8], stamp: impl FnMut(Result<Stamp, Garbled>)) {
        match self {
            Self::Anywhere | Self::Value(_) => stamps_in(value).for_each(stamp),
            Self::Byte(_) => Stamp::at(value, 0).into_iter().for_each(stamp),
        }
    }
}
