use serde::Serialize;

/// Reason why a client's request was refused. Clients receive it in an `error` event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the payload is missing")]
    NoPayload,
    #[error("the payload is not understood: {0}")]
    Payload(String),
    #[error("there is no such event")]
    UnknownEvent,
    #[error("`{0}` must have 1 to {1} bytes")]
    Length(&'static str, usize),
    #[error("`{0}` must have at most {1} bytes")]
    TooLong(&'static str, usize),
    #[error("Room is full")]
    RoomFull,
    #[error("There are too many rooms")]
    TooManyRooms,
    #[error("You are in too many rooms")]
    TooManyJoined,
    #[error("nobody with this id is in a room with you")]
    NoSuchMember,
    #[error("too many messages: at most {0} per second")]
    TooFast(u32),
    #[error("the document is too large: at most {0} bytes")]
    DocumentTooLarge(usize),
    #[error("the store is behind; try again later")]
    StoreBehind,
    #[error("your last program is still running")]
    StillRunning,
    #[error("code cannot be run here: {0}")]
    CannotRun(String),
}

/// The payload of an `error` event.
#[derive(Debug, Serialize)]
pub(crate) struct Complaint<'a> {
    pub(crate) event: &'a str,
    pub(crate) message: String,
}
