use super::error::ErrorReply;

/// A value with its attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply<'a> {
    /// Further information about the value: keys and values in turn.
    pub attributes: Option<Items<'a>>,
    /// The value.
    pub value: Value<'a>,
}

/// A value, borrowed from the read buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// A whole number of any size, in digits.
    BigNumber(&'a str),
    /// A short text, such as `OK`.
    Simple(&'a [u8]),
    /// Any bytes.
    Blob(&'a [u8]),
    /// A text for people.
    Verbatim {
        /// The format: `txt` or `mkd`.
        format: [u8; 3],
        /// The text.
        text: &'a [u8],
    },
    /// Any bytes, in chunks whose total size the server did not know in advance.
    Chunked(Chunks<'a>),
    /// An error.
    Error(ErrorReply<'a>),
    /// A list.
    Array(Items<'a>),
    /// A list without order and repetitions.
    Set(Items<'a>),
    /// Keys and values in turn.
    Map(Items<'a>),
    /// Something that is no reply to a command. The first element is its kind.
    Push(Items<'a>),
}

/// The elements of an aggregate, parsed when they are read. The parser has checked the bytes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items<'a> {
    /// The first element and everything after it.
    pub(super) bytes: &'a [u8],
    /// The number of elements left.
    pub(super) count: Count,
}

/// The chunks of a streamed string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks<'a> {
    pub(super) bytes: &'a [u8],
}

/// The number of elements of an aggregate. Keys and values of a map count separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Known(u32),
    /// Elements follow until the end of the stream.
    Streamed,
}

impl<'a> Value<'a> {
    /// The bytes of a string, unless it is in chunks.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        match *self {
            Self::Simple(bytes) | Self::Blob(bytes) | Self::Verbatim { text: bytes, .. } => {
                Some(bytes)
            }
            _ => None,
        }
    }

    /// The text of a string, if it is UTF-8 and not in chunks.
    pub fn text(&self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }

    /// The value of an integer.
    pub fn integer(&self) -> Option<i64> {
        match *self {
            Self::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// The elements of an aggregate.
    pub fn items(&self) -> Option<Items<'a>> {
        match *self {
            Self::Array(items) | Self::Set(items) | Self::Map(items) | Self::Push(items) => {
                Some(items)
            }
            _ => None,
        }
    }
}
