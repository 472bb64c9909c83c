use crate::sockets::Key;

/// An action that is due at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// Send the response of this connection.
    Answer(Key),
    /// Read or write the next bytes of this rate-limited connection.
    Pace(Key),
    /// Send the messages of this room that are due.
    Room(usize),
    /// Check whether the messages of this room that wait for a member can be sent.
    Wait(usize),
    /// Check this room for swapped deliveries whose successor did not arrive in time.
    Lanes(usize),
    /// Accept connections again.
    Accept,
}
