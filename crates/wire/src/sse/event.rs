/// What a server sent, borrowed from the read buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// An event for the application.
    Message(Message<'a>),
    /// The time to wait before reconnecting, in milliseconds.
    Retry(u64),
    /// A comment, without its colon.
    Comment(&'a [u8]),
    /// Something that the standard tells clients to ignore.
    Ignored {
        /// Why it has no effect.
        reason: Ignored,
        /// The line, or the name of an event without data.
        text: &'a [u8],
    },
}

/// An event for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The name; `message` unless the server chose another one.
    pub name: &'a str,
    /// The lines of data, separated by line feeds.
    pub data: &'a str,
    /// The id of this event, or else of the last event before it that had one; empty if there was none.
    pub id: &'a str,
}

/// The reason why a line or an event has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// The field has none of the four names.
    UnknownField,
    /// The time to wait does not consist of digits alone.
    InvalidRetry,
    /// The id contains a NUL character, which a header could not carry.
    InvalidId,
    /// The event has no line of data.
    NoData,
}
