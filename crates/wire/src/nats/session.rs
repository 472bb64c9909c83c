use std::mem;

use model::{Fault, FaultKind};

use super::connect::Login;
use super::encode;
use super::error::ServerError;
use super::frame::{Frame, Message};
use super::info::Info;
use super::parser::Parser;
use super::subject::refused;
use crate::fault::protocol;

/// The client side of a connection, without I/O. It appends what the caller must send to a buffer of the caller.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | greeting | nothing received yet | `INFO`: appends `CONNECT` and `PING`, or [`Signal::StartTls`] |
/// | securing | the caller begins TLS | [`Session::secured`]: appends `CONNECT` and `PING` |
/// | connecting | the server checks the credentials | `PONG`: [`Signal::Connected`]; `-ERR`: a fault |
/// | connected | messages flow | an error after which the server closes: a fault |
#[derive(Debug)]
pub struct Session {
    parser: Parser,
    core: Core,
}

#[derive(Debug)]
struct Core {
    login: Login,
    info: Info,
    state: State,
    is_secure: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Greeting,
    Securing,
    Connecting,
    Connected,
}

/// The meaning of a received frame.
#[derive(Debug)]
pub enum Signal<'a> {
    /// The caller must begin TLS and then call [`Session::secured`]. Nothing is sent before.
    StartTls,
    /// The server accepted the client.
    Connected(&'a Info),
    /// The server's properties have changed, such as the addresses of its cluster.
    Changed(&'a Info),
    /// A message.
    Message(Message<'a>),
    /// The server sent a ping. The pong is in the caller's buffer.
    Alive,
    /// The server has processed everything before the client's ping.
    Pong,
    /// The server confirmed a line, although the client never asks for this.
    Ok,
    /// The server refused a publication or a subscription, and the connection continues.
    Refused(ServerError<'a>),
}

impl Session {
    /// A session of a new connection. `is_secure` states whether TLS is already established, for servers that begin
    /// with TLS. A message above `limit` bytes is a fault.
    pub fn new(login: Login, is_secure: bool, limit: usize) -> Self {
        Self {
            parser: Parser::new(limit),
            core: Core {
                login,
                info: Info::default(),
                state: State::Greeting,
                is_secure,
            },
        }
    }

    /// The server's properties; empty before its first line.
    pub fn info(&self) -> &Info {
        &self.core.info
    }

    /// Whether the server has accepted the client.
    pub fn is_connected(&self) -> bool {
        self.core.state == State::Connected
    }

    /// Whether the caller must begin TLS, and then call [`Session::secured`].
    pub fn is_securing(&self) -> bool {
        self.core.state == State::Securing
    }

    /// Whether a frame has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.parser.holds_a_part()
    }

    /// Continues after [`Signal::StartTls`], when TLS is established.
    pub fn secured(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        debug_assert_eq!(self.core.state, State::Securing, "only after a StartTls");
        self.core.is_secure = true;
        self.core.connect(out)
    }

    /// Parses bytes that were read, appends the replies to `out`, and calls `sink` for each signal in order. Any fault
    /// ends the session.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let Self { parser, core } = self;
        parser.on_bytes(bytes, &mut |frame| core.on_frame(frame, out, sink))?;
        if core.state == State::Securing && parser.holds_a_part() {
            return Err(plain());
        }
        Ok(())
    }

    /// Appends a message, unless the server's limit or lack of headers forbids it.
    pub fn publish(
        &self,
        out: &mut Vec<u8>,
        subject: &str,
        reply: Option<&str>,
        headers: &[(&str, &str)],
        payload: &[u8],
    ) -> Result<(), Fault> {
        let info = &self.core.info;
        let size = encode::header_size(headers) + payload.len();
        if size > info.max_payload {
            return Err(Fault::script(
                FaultKind::TooLarge,
                format!(
                    "a message of {size} bytes is above the server's `max_payload` of {} bytes",
                    info.max_payload
                ),
            ));
        }
        if !headers.is_empty() && !info.headers {
            return Err(refused("the NATS server does not support headers"));
        }
        encode::encode_publish(out, subject, reply, headers, payload)
    }
}

impl Core {
    #[inline]
    fn on_frame(
        &mut self,
        frame: Frame<'_>,
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        match (self.state, frame) {
            (State::Connected, Frame::Message(message)) => sink(Signal::Message(message)),
            (State::Greeting, Frame::Info(json)) => return self.greeted(json, out, sink),
            (State::Securing, _) => return Err(plain()),
            (State::Connecting, Frame::Pong) => {
                self.state = State::Connected;
                sink(Signal::Connected(&self.info));
            }
            (State::Connected, Frame::Pong) => sink(Signal::Pong),
            (State::Connecting | State::Connected, Frame::Info(json)) => {
                self.changed(json, sink)?;
            }
            (State::Connecting | State::Connected, Frame::Ping) => {
                encode::encode_pong(out);
                sink(Signal::Alive);
            }
            (State::Connecting | State::Connected, Frame::Ok) => sink(Signal::Ok),
            (_, Frame::Err(text)) => {
                let error = ServerError { text };
                if self.state != State::Connected || !error.leaves_connection() {
                    return Err(error.fault());
                }
                sink(Signal::Refused(error));
            }
            (State::Greeting, _) => {
                return Err(protocol("the NATS server did not begin with INFO"));
            }
            (State::Connecting, Frame::Message(_)) => {
                return Err(protocol(
                    "the NATS server sent a message before it accepted the client",
                ));
            }
        }
        Ok(())
    }

    fn greeted(
        &mut self,
        json: &str,
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        self.info = Info::parse(json)?;
        if self.is_secure || !(self.info.tls_required || self.login.tls) {
            return self.connect(out);
        }
        if !self.info.tls_required && !self.info.tls_available {
            return Err(Fault::target(
                FaultKind::Tls,
                "the NATS server does not offer TLS, which the scenario requires",
            ));
        }
        self.state = State::Securing;
        sink(Signal::StartTls);
        Ok(())
    }

    fn changed(&mut self, json: &str, sink: &mut impl FnMut(Signal<'_>)) -> Result<(), Fault> {
        let changed = Info::parse(json)?;
        if mem::replace(&mut self.info, changed) != self.info {
            sink(Signal::Changed(&self.info));
        }
        Ok(())
    }

    fn connect(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let json = self.login.json(&self.info, self.is_secure)?;
        encode::encode_connect(out, &json);
        encode::encode_ping(out);
        self.state = State::Connecting;
        Ok(())
    }
}

/// Data that arrives unencrypted where TLS begins could have been injected.
fn plain() -> Fault {
    protocol("the NATS server sent unencrypted data after it required TLS")
}

#[cfg(test)]
mod tests;
