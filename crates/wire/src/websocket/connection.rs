use model::{Fault, FaultKind};

use super::encode;
use super::handshake::Handshake;
use super::parser::{Breach, Event, FrameParser, MESSAGE_LIMIT};
use crate::stream::Stream;

/// A WebSocket connection of a client.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | opening | the request went out | [`Event::Open`] |
/// | open | messages flow | a close frame either way |
/// | closing | one side sent its close frame | the other's |
/// | done | both did, or one broke the protocol; drop it | |
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    parser: FrameParser,
    opening: Option<Box<Opening>>,
    random: u64,
    close_sent: bool,
    close_received: bool,
}

#[derive(Debug)]
struct Opening {
    handshake: Handshake,
    held: Vec<u8>,
}

impl Connection {
    /// Sends the handshake over a stream in any phase. `seed` feeds the masks.
    pub fn open(stream: Stream, handshake: Handshake, seed: u64) -> Result<Self, Fault> {
        Self::with_message_limit(stream, handshake, seed, MESSAGE_LIMIT)
    }

    /// Refuses messages above `limit` bytes.
    pub fn with_message_limit(
        mut stream: Stream,
        handshake: Handshake,
        seed: u64,
        limit: usize,
    ) -> Result<Self, Fault> {
        stream.write(handshake.request())?;
        let held = Vec::new();
        Ok(Self {
            stream,
            parser: FrameParser::new(limit),
            opening: Some(Box::new(Opening { handshake, held })),
            random: seed,
            close_sent: false,
            close_received: false,
        })
    }

    /// The stream below, to register.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The stream below, to read from and to advance.
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The handshake is done, and no close frame went either way.
    pub fn is_open(&self) -> bool {
        self.opening.is_none() && !self.close_sent && !self.close_received
    }

    /// Both sides have sent their close frames: nothing more will come.
    pub fn is_done(&self) -> bool {
        self.close_sent && self.close_received
    }

    /// A message has begun and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.parser.holds_a_part()
    }

    /// Bytes came: calls `sink` for each event, in order. Pings and closes are answered here.
    /// When the server breaks the protocol it is told the close code, and the fault is returned.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        match self.opening.take() {
            None => self.on_frames(bytes, sink),
            Some(opening) => self.on_answer(opening, bytes, sink),
        }
    }

    fn on_answer(
        &mut self,
        mut opening: Box<Opening>,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        opening.held.extend_from_slice(bytes);
        let Some((size, protocol)) = opening.handshake.check(&opening.held)? else {
            self.opening = Some(opening);
            return Ok(());
        };
        sink(Event::Open { protocol });
        self.on_frames(&opening.held[size..], sink)
    }

    fn on_frames(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        let mut replies = Vec::new();
        let (random, may_reply) = (&mut self.random, !self.close_sent);
        let mut close_received = false;
        let parsed = self.parser.on_bytes(bytes, &mut |event| {
            match event {
                Event::Ping(payload) if may_reply => {
                    encode::encode_pong(&mut replies, payload, next_mask(random));
                }
                Event::Close { code, .. } => {
                    close_received = true;
                    if may_reply {
                        encode::encode_close(&mut replies, code, "", next_mask(random));
                    }
                }
                _ => {}
            }
            sink(event);
        });
        if close_received {
            self.close_received = true;
            self.close_sent = true;
        }
        if let Err(Breach { code, fault }) = parsed {
            if may_reply {
                encode::encode_close(&mut replies, Some(code), "", next_mask(&mut self.random));
            }
            self.close_sent = true;
            self.close_received = true;
            let _ = self.stream.write(&replies); // the breach is the news, whether or not it can be told
            return Err(fault);
        }
        if replies.is_empty() {
            return Ok(());
        }
        self.stream.write(&replies)
    }

    /// The peer sent its last byte: a fault unless the close handshake was done.
    pub fn on_close(&mut self) -> Result<(), Fault> {
        let when = match (&self.opening, self.close_received, self.close_sent) {
            (Some(_), ..) => "before it answered the handshake",
            (None, true, _) => return Ok(()),
            (None, false, true) => "without answering the close frame",
            (None, false, false) => "without a close frame",
        };
        Err(Fault::target(
            FaultKind::Closed,
            format!("the server closed {when}"),
        ))
    }

    /// Sends a text message.
    pub fn send_text(&mut self, text: &str) -> Result<(), Fault> {
        self.send_text_of(&[text])
    }

    /// Sends one text message that lies in several parts, so that nobody needs to join them before.
    pub fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        let length = parts.iter().map(|part| part.len()).sum();
        self.send(length, |out, mask| {
            encode::encode_text_of(out, parts, mask);
        })
    }

    /// Sends a binary message.
    pub fn send_binary(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.send(bytes.len(), |out, mask| {
            encode::encode_binary(out, bytes, mask);
        })
    }

    /// Sends a ping with up to 125 bytes.
    pub fn send_ping(&mut self, payload: &[u8]) -> Result<(), Fault> {
        self.send(125, |out, mask| encode::encode_ping(out, payload, mask))
    }

    /// Sends an unasked pong with up to 125 bytes.
    pub fn send_pong(&mut self, payload: &[u8]) -> Result<(), Fault> {
        self.send(125, |out, mask| encode::encode_pong(out, payload, mask))
    }

    /// Begins to close; a second call changes nothing. The server's answer comes as [`Event::Close`].
    pub fn close(&mut self, code: Option<u16>, reason: &str) -> Result<(), Fault> {
        if self.close_sent {
            return Ok(());
        }
        self.send(125, |out, mask| {
            encode::encode_close(out, code, reason, mask);
        })?;
        self.close_sent = true;
        Ok(())
    }

    fn unwritable(&self) -> Option<Fault> {
        let closed = FaultKind::Closed;
        if self.close_received {
            Some(Fault::target(closed, "the server has closed the WebSocket"))
        } else if self.close_sent {
            Some(Fault::script(closed, "sent after the script had closed"))
        } else if self.opening.is_some() {
            Some(Fault::script(closed, "sent before the WebSocket was open"))
        } else {
            None
        }
    }

    fn send(
        &mut self,
        payload: usize,
        encode: impl FnOnce(&mut Vec<u8>, [u8; 4]),
    ) -> Result<(), Fault> {
        if let Some(fault) = self.unwritable() {
            return Err(fault);
        }
        let mut frame = Vec::with_capacity(payload + 14);
        encode(&mut frame, next_mask(&mut self.random));
        self.stream.write(&frame)
    }
}

/// `SplitMix64` (Steele, Lea, Flood 2014). Masks protect caches between the two ends from crafted payloads,
/// so they must vary but need no secrecy in a test.
fn next_mask(state: &mut u64) -> [u8; 4] {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let [a, b, c, d, ..] = (mixed ^ (mixed >> 31)).to_be_bytes();
    [a, b, c, d]
}
