use model::{Fault, FaultKind};
use serde_json::Value;

use super::attachments::Attachments;
use super::engine::{EnginePacket, Open};
use super::event::Event;
use super::packet::{Kind, Packet, header};
use crate::fault::protocol;

/// The client side of one namespace in an Engine.IO session. It does not send packets itself, but reports them as
/// [`Signal::Say`].
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | opening | nothing received yet | Engine.IO's open packet: [`Signal::Opened`], [`Signal::Say`] with a CONNECT |
/// | joining | the namespace was requested | CONNECT: [`Signal::Connected`]; CONNECT_ERROR: a fault |
/// | connected | events flow | DISCONNECT or Engine.IO's close: a fault |
#[derive(Debug)]
pub struct Session {
    namespace: String,
    /// JSON text that is sent with the CONNECT.
    auth: Option<String>,
    state: State,
    coming: Option<Attachments>,
    limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Opening,
    Joining,
    Connected,
}

/// The meaning of a received packet.
#[derive(Debug)]
pub enum Signal<'a> {
    /// The Engine.IO session is open.
    Opened(Open),
    /// A packet that the caller must send.
    Say(String),
    /// The server sent a ping. The pong follows as a [`Signal::Say`].
    Alive,
    /// The server accepted the namespace, with this socket id.
    Connected(Option<String>),
    /// An event.
    Event {
        /// The name and arguments.
        event: Event<'a>,
        /// The id for the acknowledgement, if the server wants one.
        id: Option<u64>,
        /// The binary attachments, indexed by placeholder number.
        attachments: &'a [Vec<u8>],
    },
    /// An acknowledgement.
    Ack {
        /// The id of the acknowledged event.
        id: u64,
        /// The arguments as a JSON list.
        arguments: &'a str,
        /// The binary attachments, indexed by placeholder number.
        attachments: &'a [Vec<u8>],
    },
    /// The response to a probe of a new transport.
    Probed,
    /// An empty packet, which ends a poll.
    Noop,
}

impl Session {
    /// A session for a namespace such as `/`. A message together with its attachments may have at most `limit` bytes.
    pub fn new(namespace: String, auth: Option<String>, limit: usize) -> Self {
        Self {
            namespace,
            auth,
            state: State::Opening,
            coming: None,
            limit,
        }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The packet that leaves the namespace.
    pub fn goodbye(&self) -> String {
        header(Kind::Disconnect, 0, &self.namespace, None)
    }

    /// Handles a text packet. Any fault ends the session.
    pub fn on_text(&mut self, text: &str, sink: &mut impl FnMut(Signal<'_>)) -> Result<(), Fault> {
        match EnginePacket::parse(text)? {
            EnginePacket::Open(json) => self.opened(json, sink)?,
            EnginePacket::Close => return Err(closed("the server closed the session")),
            EnginePacket::Ping(more) => {
                sink(Signal::Alive);
                sink(Signal::Say(format!("3{more}")));
            }
            EnginePacket::Pong("probe") => sink(Signal::Probed),
            EnginePacket::Pong(_) | EnginePacket::Upgrade => {}
            EnginePacket::Message(text) => self.message(text, sink)?,
            EnginePacket::Noop => sink(Signal::Noop),
        }
        Ok(())
    }

    /// Handles a binary message, which is always an attachment.
    pub fn on_binary(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let Some(mut coming) = self.coming.take() else {
            return Err(protocol(
                "received a binary message that belongs to no packet",
            ));
        };
        if !coming.add(bytes)? {
            self.coming = Some(coming);
            return Ok(());
        }
        let (text, attachments) = coming.parts();
        self.packet(&Packet::parse(text)?, attachments, sink)
    }

    fn opened(&mut self, json: &str, sink: &mut impl FnMut(Signal<'_>)) -> Result<(), Fault> {
        if self.state != State::Opening {
            return Err(protocol("the server opened the session twice"));
        }
        let open = Open::parse(json)?;
        self.state = State::Joining;
        sink(Signal::Opened(open));
        let asks = header(Kind::Connect, 0, &self.namespace, None);
        sink(Signal::Say(asks + self.auth.as_deref().unwrap_or_default()));
        Ok(())
    }

    fn message(&mut self, text: &str, sink: &mut impl FnMut(Signal<'_>)) -> Result<(), Fault> {
        if self.coming.is_some() {
            return Err(protocol("received text instead of a binary attachment"));
        }
        let packet = Packet::parse(text)?;
        if packet.attachments > 0 {
            self.coming = Some(Attachments::of(text, &packet, self.limit));
            return Ok(());
        }
        self.packet(&packet, &[], sink)
    }

    fn packet(
        &mut self,
        packet: &Packet<'_>,
        attachments: &[Vec<u8>],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        if !self.is_its(packet) {
            return self.stranger(packet);
        }
        match packet.kind {
            Kind::Connect if self.state == State::Joining => {
                self.state = State::Connected;
                let data: Option<Value> = serde_json::from_str(packet.data).ok();
                let sid = data.as_ref().and_then(|data| data.get("sid")?.as_str());
                sink(Signal::Connected(sid.map(str::to_owned)));
            }
            Kind::Connect => return Err(protocol("the server accepted the namespace twice")),
            Kind::ConnectError => return Err(refused(packet)),
            Kind::Disconnect => return Err(closed("the server disconnected the socket")),
            _ if self.state != State::Connected => {
                return Err(protocol(
                    "received a message before the namespace was accepted",
                ));
            }
            Kind::Event | Kind::BinaryEvent => {
                let event = Event::parse(packet.data)?;
                sink(Signal::Event {
                    event,
                    id: packet.id,
                    attachments,
                });
            }
            Kind::Ack | Kind::BinaryAck => {
                if let Some(id) = packet.id {
                    sink(Signal::Ack {
                        id,
                        arguments: packet.data,
                        attachments,
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether the packet belongs to the namespace of this session.
    ///
    /// Most sockets use the main namespace `/`, the only name with one character. For this name, comparing the lengths
    /// suffices.
    fn is_its(&self, packet: &Packet<'_>) -> bool {
        let its = packet.namespace;
        its.len() == self.namespace.len() && (its.len() == 1 || its == self.namespace)
    }

    /// Handles a packet of a namespace that was not requested. While joining, a refusal of any namespace is returned as
    /// the fault. Packets of `/`, and all packets once connected, are ignored. Any other packet is a fault.
    fn stranger(&self, packet: &Packet<'_>) -> Result<(), Fault> {
        match packet.kind {
            Kind::ConnectError if self.state == State::Joining => Err(refused(packet)),
            _ if self.state == State::Connected || packet.namespace == "/" => Ok(()),
            _ => Err(protocol(format!(
                "received a packet of namespace {}, which was not requested",
                packet.namespace
            ))),
        }
    }
}

fn closed(what: &str) -> Fault {
    Fault::target(FaultKind::Closed, what)
}

/// A fault with the server's own message, which states the reason.
fn refused(packet: &Packet<'_>) -> Fault {
    let data: Option<Value> = serde_json::from_str(packet.data).ok();
    let message = data.as_ref().and_then(|data| match data {
        Value::String(text) => Some(text.as_str()),
        other => other.get("message")?.as_str(),
    });
    let words = message.unwrap_or(packet.data);
    let detail = format!("the server refused namespace {}: {words}", packet.namespace);
    Fault::target(FaultKind::Denied, detail)
}

#[cfg(test)]
mod tests;
