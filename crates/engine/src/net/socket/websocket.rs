use model::Fault;
use wire::Stream;
use wire::websocket::{Connection, Handshake};

use super::transport::Transport;

/// The opening request of a WebSocket.
#[derive(Debug)]
pub(crate) struct Upgrade {
    pub(crate) handshake: Handshake,
    /// Seeds the masks of the frames.
    pub(crate) seed: u64,
}

impl Transport for Connection {
    type Opener = Upgrade;

    fn open(
        opener: Upgrade,
        stream: Stream,
        max_message: usize,
        _: Option<&str>,
    ) -> Result<Self, Fault> {
        Self::with_message_limit(stream, opener.handshake, opener.seed, max_message)
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.stream())
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        Some(self.stream_mut())
    }

    fn on_close(&mut self) -> Result<(), Fault> {
        Self::on_close(self)
    }

    fn holds_a_part(&self) -> bool {
        self.holds_a_part()
    }

    fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        self.send_text_of(parts)
    }

    fn send_binary(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.send_binary(bytes)
    }

    fn send_text_in(&mut self, frame: &mut Vec<u8>, parts: &[&str]) -> Result<(), Fault> {
        self.send_text_in(frame, parts)
    }

    fn send_binary_in(&mut self, frame: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Fault> {
        self.send_binary_in(frame, bytes)
    }

    fn send_ping(&mut self, payload: &[u8]) -> Result<(), Fault> {
        self.send_ping(payload)
    }

    fn close(&mut self, code: Option<u16>, reason: &str) -> Result<(), Fault> {
        self.close(code, reason)
    }

    fn closes_with_handshake(&self) -> bool {
        true
    }

    fn is_done(&self) -> bool {
        self.is_done()
    }
}
