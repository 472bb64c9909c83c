use std::collections::VecDeque;

use model::{Fault, FaultKind};

use super::command::{self, Response};
use super::encode::encode_command;
use super::hello::{Hello, Login};
use super::parser::Parser;
use super::value::{Items, Reply, Value};
use crate::fault::protocol;

/// The client side of a connection, without I/O. It appends what the caller must send to a buffer of the caller, and
/// matches replies to commands by their order.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | greeting | `HELLO` was sent, and perhaps `SELECT` | their replies: [`Signal::Connected`]; an error: a fault |
/// | connected | commands and pushes flow | |
///
/// Commands may be sent before the server has accepted the client; they fail with the session if it does not.
#[derive(Debug)]
pub struct Session {
    parser: Parser,
    core: Core,
}

#[derive(Debug)]
struct Core {
    hello: Hello,
    is_connected: bool,
    in_flight: VecDeque<InFlight>,
}

/// A command whose response has not arrived.
#[derive(Debug)]
enum InFlight {
    /// `HELLO`. The flag states whether it is the whole greeting.
    Hello(bool),
    Select,
    Command {
        token: u64,
        response: Response,
    },
}

/// The meaning of a received reply or push.
#[derive(Debug)]
pub enum Signal<'a> {
    /// The server accepted the client.
    Connected(&'a Hello),
    /// The reply to a command, which may be an error.
    Reply {
        /// The caller's number for the command.
        token: u64,
        /// The reply.
        reply: Reply<'a>,
    },
    /// All channels of a command such as `SUBSCRIBE` were confirmed. A [`Signal::Push`] for each came before.
    Confirmed {
        /// The caller's number for the command.
        token: u64,
    },
    /// Something that is no reply to a command.
    Push {
        /// The kind, such as `message` (of a channel), `pmessage` (of a pattern) or `invalidate` (of a key).
        kind: &'a str,
        /// The elements after the kind.
        items: Items<'a>,
        /// Further information about the push: keys and values in turn.
        attributes: Option<Items<'a>>,
    },
}

impl Session {
    /// Begins the session of a new connection: appends `HELLO`, and `SELECT` if the database is not 0. A reply above
    /// `limit` bytes is a fault.
    pub fn begin(login: &Login, limit: usize, out: &mut Vec<u8>) -> Self {
        login.encode_hello(out);
        let selects = login.encode_select(out);
        let mut in_flight = VecDeque::from([InFlight::Hello(!selects)]);
        in_flight.extend(selects.then_some(InFlight::Select));
        Self {
            parser: Parser::new(limit),
            core: Core {
                hello: Hello::default(),
                is_connected: false,
                in_flight,
            },
        }
    }

    /// Whether the server has accepted the client.
    pub fn is_connected(&self) -> bool {
        self.core.is_connected
    }

    /// The number of commands whose response has not arrived, including those of the greeting.
    pub fn in_flight(&self) -> usize {
        self.core.in_flight.len()
    }

    /// Whether a reply has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.parser.holds_a_part()
    }

    /// Refuses a command after which replies could not be matched, which is a fault of the script.
    pub fn allows(arguments: &[&[u8]]) -> Result<(), Fault> {
        expected(arguments).map(drop)
    }

    /// Appends a command. Its response will have this token, which the caller chooses. A command after which replies
    /// could not be matched is a fault of the script.
    pub fn send(
        &mut self,
        out: &mut Vec<u8>,
        token: u64,
        arguments: &[&[u8]],
    ) -> Result<(), Fault> {
        let response = expected(arguments)?;
        encode_command(out, arguments.iter().copied());
        self.core
            .in_flight
            .push_back(InFlight::Command { token, response });
        Ok(())
    }

    /// Parses bytes that were read, and calls `sink` for each signal in order. Any fault ends the session.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let Self { parser, core } = self;
        parser.on_bytes(bytes, &mut |reply| match reply.value {
            Value::Push(items) => core.on_push(items, reply.attributes, sink),
            _ => core.on_reply(reply, sink),
        })
    }
}

/// The response that a command gets.
fn expected(arguments: &[&[u8]]) -> Result<Response, Fault> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(Fault::script(
            FaultKind::Protocol,
            "a Redis command needs a name",
        ));
    };
    command::response(name, rest.len(), rest.first().copied())
}

impl Core {
    #[inline]
    fn on_reply(
        &mut self,
        reply: Reply<'_>,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let Some(answered) = self.in_flight.pop_front() else {
            return Err(protocol("received a Redis reply without a command"));
        };
        match answered {
            InFlight::Command { token, .. } => sink(Signal::Reply { token, reply }),
            InFlight::Hello(is_all) => {
                self.hello = Hello::parse(&reply.value)?;
                if is_all {
                    self.accepted(sink);
                }
            }
            InFlight::Select => {
                if let Value::Error(error) = reply.value {
                    let detail = format!("Redis refused the database: {}", error.text());
                    return Err(Fault::target(FaultKind::Denied, detail));
                }
                self.accepted(sink);
            }
        }
        Ok(())
    }

    fn accepted(&mut self, sink: &mut impl FnMut(Signal<'_>)) {
        self.is_connected = true;
        sink(Signal::Connected(&self.hello));
    }

    #[inline]
    fn on_push(
        &mut self,
        items: Items<'_>,
        attributes: Option<Items<'_>>,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let named = items
            .split_first()
            .and_then(|(kind, items)| Some((kind.value.text()?, items)));
        let (kind, items) =
            named.ok_or_else(|| protocol("a Redis push does not begin with its kind"))?;
        sink(Signal::Push {
            kind,
            items,
            attributes,
        });
        let Some(InFlight::Command {
            token,
            response:
                Response::Pushes {
                    kind: confirms,
                    left,
                },
        }) = self.in_flight.front_mut()
        else {
            return Ok(());
        };
        if kind == *confirms {
            *left -= 1;
            if *left == 0 {
                let token = *token;
                self.in_flight.pop_front();
                sink(Signal::Confirmed { token });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
