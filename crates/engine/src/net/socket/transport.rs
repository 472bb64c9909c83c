use std::fmt::Debug;

use model::{Fault, FaultKind, Nanos};
use url::Url;
use wire::Stream;

/// The URLs of servers that are not reached over HTTP.
#[derive(Debug)]
pub(crate) struct ServerUrl {
    pub(crate) schemes: &'static [&'static str],
    /// The kind of server.
    pub(crate) server: &'static str,
    /// The call that connects to it.
    pub(crate) call: &'static str,
}

/// What carries the messages of a socket. The defaults are those of a connection on which nothing is sent freely, such as
/// a connection for commands, and which ends without a handshake.
pub(crate) trait Transport: Sized {
    /// What is needed to open a connection.
    type Opener: Debug;

    /// The URLs of the servers, if they are not reached over HTTP.
    const SERVER: Option<ServerUrl> = None;

    /// Sends the opening request on a connection that is being opened. `cookies` are those for [`Transport::cookies_for`].
    fn open(
        opener: Self::Opener,
        stream: Stream,
        max_message: usize,
        cookies: Option<&str>,
    ) -> Result<Self, Fault>;

    /// The URL whose cookies the opening request still needs.
    fn cookies_for(_: &Self::Opener) -> Option<&Url> {
        None
    }

    /// The stream. `None` if the socket has no connection of its own.
    fn stream(&self) -> Option<&Stream>;

    fn stream_mut(&mut self) -> Option<&mut Stream>;

    /// Continues when the stream has opened. Uses `out` to encode.
    fn on_open(&mut self, _out: &mut Vec<u8>) -> Result<(), Fault> {
        Ok(())
    }

    /// Handles the end of the peer's data. Returns a fault if the protocol knows why the peer closed the connection.
    fn on_close(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether a message has begun and is incomplete.
    fn holds_a_part(&self) -> bool {
        false
    }

    /// Sends a text in parts.
    fn send_text_of(&mut self, _parts: &[&str]) -> Result<(), Fault> {
        Err(only_receives())
    }

    fn send_binary(&mut self, _bytes: &[u8]) -> Result<(), Fault> {
        Err(only_receives())
    }

    /// Sends a text in parts. It can be encoded in `frame`, which the caller reuses.
    fn send_text_in(&mut self, _frame: &mut Vec<u8>, parts: &[&str]) -> Result<(), Fault> {
        self.send_text_of(parts)
    }

    /// Sends bytes. They can be encoded in `frame`, which the caller reuses.
    fn send_binary_in(&mut self, _frame: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Fault> {
        self.send_binary(bytes)
    }

    fn send_ping(&mut self, _payload: &[u8]) -> Result<(), Fault> {
        Err(only_receives())
    }

    /// Whether messages wait until requests carry them.
    fn sends_by_request(&self) -> bool {
        false
    }

    /// Begins to close. Without a handshake, dropping the connection closes it, and a stream of a shared connection is
    /// reset.
    fn close(&mut self, _code: Option<u16>, _reason: &str) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether the other side takes part in closing.
    fn closes_with_handshake(&self) -> bool {
        false
    }

    /// The failure of a peer that does not take part in closing.
    fn unconfirmed_close(&self) -> &'static str {
        "the server did not respond to the close frame"
    }

    /// The order in which the sockets of a user are closed. Sockets that others carry come before these, so that they are
    /// closed for the reason of the iteration.
    fn rank_of_closing(&self) -> u8 {
        1
    }

    /// Whether the peer has ended the connection as the protocol intends, although its stream is still open.
    fn is_done(&self) -> bool {
        false
    }

    /// Whether the end is no failure of its own: the server ended the connection as the protocol intends, and without a
    /// closing handshake, or the failure is that of another socket's connection.
    fn ended_in_order(&self) -> bool {
        false
    }

    /// Whether the opening is measured, if that of the socket's kind is.
    fn measures_opening(&self) -> bool {
        true
    }

    /// Whether another socket can take over from this one.
    fn is_replaceable(&self) -> bool {
        false
    }

    /// Whether a shared HTTP/2 connection carries the messages.
    fn is_shared(&self) -> bool {
        false
    }

    /// The time at which the next connection is due; `Nanos::MAX` unless the socket waits to reconnect.
    fn reconnect_due(&self) -> Nanos {
        Nanos::MAX
    }
}

fn only_receives() -> Fault {
    let detail =
        "messages cannot be sent on this socket: use a request, a command or a publication";
    Fault::script(FaultKind::Thrown, detail)
}
