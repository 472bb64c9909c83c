use model::{Fault, FaultKind};
use serde_json::Value;

use super::attachments::Attachments;
use super::engine::{EnginePacket, Open};
use super::event::Event;
use super::packet::{Kind, Packet, header};
use crate::fault::protocol;

/// One namespace of one Engine.IO session, as its client sees it. It says what is to be sent and never sends.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | opening | nothing came yet | Engine.IO's open packet: [`Signal::Opened`] and [`Signal::Say`] the CONNECT |
/// | joining | the namespace was asked for | CONNECT: [`Signal::Connected`]; CONNECT_ERROR: a fault |
/// | connected | events flow | DISCONNECT or Engine.IO's close: a fault |
#[derive(Debug)]
pub struct Session {
    namespace: String,
    /// JSON text that goes with the CONNECT.
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

/// What a received packet means.
#[derive(Debug)]
pub enum Signal<'a> {
    /// The Engine.IO session stands.
    Opened(Open),
    /// This is to be sent.
    Say(String),
    /// The server pinged: it lives. The answer is a [`Signal::Say`] of its own.
    Alive,
    /// The namespace is granted, under this id.
    Connected(Option<String>),
    /// An event.
    Event {
        /// Its name and arguments.
        event: Event<'a>,
        /// By what it is to be acknowledged, if the server wants that.
        id: Option<u64>,
        /// Its binary attachments by the numbers of their placeholders.
        attachments: &'a [Vec<u8>],
    },
    /// An acknowledgement.
    Ack {
        /// Of which event.
        id: u64,
        /// The arguments as a JSON list.
        arguments: &'a str,
        /// Its binary attachments by the numbers of their placeholders.
        attachments: &'a [Vec<u8>],
    },
    /// The answer to a probe of a new transport.
    Probed,
    /// Nothing: it ends a poll.
    Noop,
}

impl Session {
    /// For a namespace such as `/`; messages with their attachments may have `limit` bytes.
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

    /// What says goodbye to the namespace.
    pub fn goodbye(&self) -> String {
        header(Kind::Disconnect, 0, &self.namespace, None)
    }

    /// A text packet came. A fault ends the session, whoever's it is.
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

    /// A binary message came: an attachment.
    pub fn on_binary(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let Some(mut coming) = self.coming.take() else {
            return Err(protocol("a binary message that belongs to no packet"));
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
            return Err(protocol("a text packet came where an attachment was due"));
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
            Kind::Connect => return Err(protocol("the server granted the namespace twice")),
            Kind::ConnectError => return Err(refused(packet)),
            Kind::Disconnect => return Err(closed("the server disconnected the socket")),
            _ if self.state != State::Connected => {
                return Err(protocol("a message came before the namespace was granted"));
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

    /// Most sockets have the main namespace `/`, and no other name is as short: of a crowd's names none need be looked up.
    fn is_its(&self, packet: &Packet<'_>) -> bool {
        let its = packet.namespace;
        its.len() == self.namespace.len() && (its.len() == 1 || its == self.namespace)
    }

    /// A packet of a namespace that was not asked for.
    fn stranger(&self, packet: &Packet<'_>) -> Result<(), Fault> {
        match packet.kind {
            Kind::ConnectError if self.state == State::Joining => Err(refused(packet)),
            _ if self.state == State::Connected || packet.namespace == "/" => Ok(()),
            _ => Err(protocol(format!(
                "a packet of namespace {}",
                packet.namespace
            ))),
        }
    }
}

fn closed(what: &str) -> Fault {
    Fault::target(FaultKind::Closed, what)
}

/// The server's own words, without which nobody would know why.
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
