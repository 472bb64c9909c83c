use std::sync::Arc;

use serde::Serialize;

use super::packet::{self, Event, NotAPacket, Packet};
use crate::recipient::Recipient;

/// Who does what clients ask for.
pub(crate) trait Handlers: Send + Sync + 'static {
    /// What is known of one client; dropped when it is gone.
    type Visitor: Send;
    /// A client entered the main namespace under this id.
    fn enter(self: &Arc<Self>, id: &Arc<str>, recipient: &Recipient) -> Self::Visitor;
    /// A client asks for something.
    fn event(&self, visitor: &mut Self::Visitor, event: Event<'_>);
}

/// One client's side of the protocol.
#[derive(Debug)]
pub(crate) struct Client<D: Handlers> {
    handlers: Arc<D>,
    recipient: Recipient,
    visitor: Option<D::Visitor>,
    /// Binary parts that are still to come and belong to nothing.
    parts: u32,
    came: bool,
}

#[derive(Serialize)]
struct Refused<'a> {
    message: &'a str,
}

impl<D: Handlers> Client<D> {
    pub(crate) fn new(handlers: Arc<D>, recipient: Recipient) -> Self {
        Self {
            handlers,
            recipient,
            visitor: None,
            parts: 0,
            came: false,
        }
    }

    /// The way to it.
    pub(crate) fn recipient(&self) -> &Recipient {
        &self.recipient
    }

    /// Whether it ever entered the namespace. One who left it may stay, and enter again.
    pub(crate) fn came(&self) -> bool {
        self.came
    }

    /// Takes a packet. `false` when the connection is to end.
    pub(crate) fn packet(&mut self, text: &str) -> Result<bool, NotAPacket> {
        if self.parts > 0 {
            // Between an event and its parts there is nothing else.
            return Err(NotAPacket);
        }
        match Packet::parse(text)? {
            Packet::Connect { namespace: "/" } => return Ok(self.connect()),
            Packet::Connect { namespace } => {
                let refused = serde_json::to_string(&Refused {
                    message: "Invalid namespace",
                });
                self.recipient
                    .text(&format!("44{namespace},{}", refused.unwrap_or_default()));
            }
            // The connection outlives the namespace; whoever was not in it has nothing to leave.
            Packet::Disconnect { namespace } => {
                return Ok(self.visitor.take().is_some() && namespace == "/");
            }
            Packet::Acknowledgement => return Ok(self.visitor.is_some()),
            Packet::Binary { parts, acknowledge } => {
                self.parts = parts;
                if self.visitor.is_none() {
                    return Ok(false);
                }
                let complaint = serde_json::json!({
                    "event": null, "message": "binary payloads are not taken",
                });
                self.recipient.text(&packet::event("error", &complaint));
                if let Some(number) = acknowledge {
                    self.recipient
                        .text(&packet::acknowledgement(number, &complaint));
                }
            }
            Packet::Event(event) => match &mut self.visitor {
                Some(visitor) => self.handlers.event(visitor, event),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// A binary part. `false` when none was announced.
    pub(crate) fn binary(&mut self) -> bool {
        let announced = self.parts > 0;
        self.parts = self.parts.saturating_sub(1);
        announced
    }

    fn connect(&mut self) -> bool {
        if self.visitor.is_some() {
            return false;
        }
        let Ok(id) = crate::id::fresh() else {
            tracing::error!("the system has no random numbers to give");
            return false;
        };
        let id: Arc<str> = id.into();
        self.recipient.text(&format!("40{{\"sid\":\"{id}\"}}"));
        self.visitor = Some(self.handlers.enter(&id, &self.recipient));
        self.came = true;
        true
    }
}
