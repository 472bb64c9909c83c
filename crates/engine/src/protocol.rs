//! What the protocol of a socket does for its users, beyond what all sockets do. `react` calls it.

use delivery::Leaving;
use model::{Fault, Nanos};
use wire::http::Response;
use wire::http2::Content;

use crate::dial::Reconnect;
use crate::http::Asker;
use crate::socket::Over;

/// The handler of a socket that exists. By default, nothing is left to do.
pub(crate) trait Protocol {
    /// Handles received bytes. Returns the number of messages in them, including an incomplete last message.
    fn received(&mut self, key: u32, bytes: &[u8], at: Nanos) -> usize;

    /// Handles a part of the response to a request of the socket. Returns the number of messages in it.
    fn received_part(&mut self, _key: u32, _content: &Content, _now: Nanos) -> usize {
        0
    }

    /// Handles the end of a request of the socket.
    fn responded(&mut self, _to: Asker, _outcome: Result<Response, Fault>, _now: Nanos) {}

    /// Starts the requests that the socket needs now.
    fn go_on(&mut self, _key: u32) {}

    /// A socket that serves this one was added.
    fn helper_added(&mut self, _key: u32, _helper: u32) {}

    /// The server has accepted that this socket takes over from the one that it serves.
    fn takes_over(&mut self, _helper: u32) {}

    /// A socket with this name that served this one has ended, or never opened.
    fn helper_lost(&mut self, _key: u32, _name: &str, _fault: &Fault) {}

    /// headcount closes the socket.
    fn leaves(&mut self, _key: u32, _by_script: bool, _how: Leaving) {}

    /// Whether the socket continues on another connection after this fault. If so, that connection is planned.
    fn continues_after(&mut self, _key: u32, _fault: &Fault) -> bool {
        false
    }

    /// Requests the connection that is due.
    fn reconnect(&mut self, _key: u32, _now: Nanos) {}

    /// Starts to connect again.
    fn reopen(&mut self, _dial: Reconnect) {}

    /// Ends what belongs to the socket, which has been removed.
    fn is_over(&mut self, _over: &Over) {}
}
