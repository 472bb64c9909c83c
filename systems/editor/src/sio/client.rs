use std::sync::Arc;

use serde::Serialize;

use super::packet::{self, Event, NotAPacket, Packet};
use crate::recipient::Recipient;

/// Handles the events from clients.
pub(crate) trait Handlers: Send + Sync + 'static {
    /// The state of one client. Dropped when the client disconnects.
    type Visitor: Send;
    /// A client has entered the main namespace with this id.
    fn enter(self: &Arc<Self>, id: &Arc<str>, recipient: &Recipient) -> Self::Visitor;
    /// Handles an event.
    fn event(&self, visitor: &mut Self::Visitor, event: Event<'_>);
}

/// The server's side of the protocol for one client.
#[derive(Debug)]
pub(crate) struct Client<D: Handlers> {
    handlers: Arc<D>,
    recipient: Recipient,
    visitor: Option<D::Visitor>,
    /// Number of binary attachments of a refused event that have not been skipped yet.
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

    /// The recipient of messages to this client.
    pub(crate) fn recipient(&self) -> &Recipient {
        &self.recipient
    }

    /// Whether the client has ever entered the namespace. A client that has left may stay connected and enter again.
    pub(crate) fn came(&self) -> bool {
        self.came
    }

    /// Handles a packet. Returns `false` if the connection must end.
    pub(crate) fn packet(&mut self, text: &str) -> Result<bool, NotAPacket> {
        if self.parts > 0 {
            // A binary event must be followed by its attachments.
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
            // Leaving the namespace keeps the connection open. A client that leaves without having entered is
            // disconnected.
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
                    "event": null, "message": "binary payloads are not supported",
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

    /// Skips a binary attachment. Returns `false` if no attachment was announced.
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
            tracing::error!("the system provides no random numbers: cannot create a client id");
            return false;
        };
        let id: Arc<str> = id.into();
        self.recipient.text(&format!("40{{\"sid\":\"{id}\"}}"));
        self.visitor = Some(self.handlers.enter(&id, &self.recipient));
        self.came = true;
        true
    }
}
