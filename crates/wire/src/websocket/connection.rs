use model::{Fault, FaultKind};

use super::breach::Breach;
use super::encode;
use super::handshake::Handshake;
use super::parser::{Event, FrameParser, MESSAGE_LIMIT};
use crate::stream::Stream;

/// The client side of a WebSocket connection.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | opening | the handshake request was sent | [`Event::Open`] |
/// | open | messages flow | a close frame in either direction |
/// | closing | one side sent its close frame | the close frame of the other side |
/// | done | both sent a close frame, or one side broke the protocol; drop the connection | |
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
    /// Sends the handshake over a stream in any phase. `seed` seeds the masks of the frames.
    pub fn open(stream: Stream, handshake: Handshake, seed: u64) -> Result<Self, Fault> {
        Self::with_message_limit(stream, handshake, seed, MESSAGE_LIMIT)
    }

    /// Like [`Connection::open`], but messages above `limit` bytes are a fault.
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

    /// The underlying stream, for registration with epoll.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The underlying stream, for [`Stream::read`] and [`Stream::advance`].
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Whether the handshake is done and neither side has sent a close frame.
    pub fn is_open(&self) -> bool {
        self.opening.is_none() && !self.close_sent && !self.close_received
    }

    /// Whether both sides have sent their close frames. Nothing more will arrive.
    pub fn is_done(&self) -> bool {
        self.close_sent && self.close_received
    }

    /// Whether a message has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.parser.holds_a_part()
    }

    /// Parses bytes that were read and calls `sink` for each event, in order. Replies to pings and close frames.
    ///
    /// If the server breaks the protocol, sends a close frame with the code and returns the fault.
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
        // Collects the replies to all frames of this read, to send them with one write.
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
            let _ = self.stream.write(&replies); // the breach is the result, even if the close frame cannot be sent
            return Err(fault);
        }
        if replies.is_empty() {
            return Ok(());
        }
        self.stream.write(&replies)
    }

    /// Handles the end of the peer's data. It is a fault unless the server has sent a close frame.
    pub fn on_close(&mut self) -> Result<(), Fault> {
        let when = match (&self.opening, self.close_received, self.close_sent) {
            (Some(_), ..) => "before its handshake response",
            (None, true, _) => return Ok(()),
            (None, false, true) => "without replying to the close frame",
            (None, false, false) => "without a close frame",
        };
        Err(Fault::target(
            FaultKind::Closed,
            format!("the server closed the connection {when}"),
        ))
    }

    /// Sends a text message.
    pub fn send_text(&mut self, text: &str) -> Result<(), Fault> {
        self.send_text_of(&[text])
    }

    /// Sends one text message that is given in several parts, so that the caller need not join them.
    pub fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        let length = parts.iter().map(|part| part.len()).sum();
        self.send(length, |out, mask| {
            encode::encode_text_of(out, parts, mask);
        })
    }

    /// Like [`Connection::send_text_of`], but encodes the frame in `frame`, which the caller reuses for many messages.
    pub fn send_text_in(&mut self, frame: &mut Vec<u8>, parts: &[&str]) -> Result<(), Fault> {
        self.send_in(frame, |out, mask| encode::encode_text_of(out, parts, mask))
    }

    /// Like [`Connection::send_binary`], but encodes the frame in `frame`, which the caller reuses for many messages.
    pub fn send_binary_in(&mut self, frame: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Fault> {
        self.send_in(frame, |out, mask| encode::encode_binary(out, bytes, mask))
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

    /// Sends an unsolicited pong with up to 125 bytes.
    pub fn send_pong(&mut self, payload: &[u8]) -> Result<(), Fault> {
        self.send(125, |out, mask| encode::encode_pong(out, payload, mask))
    }

    /// Begins to close. A second call changes nothing. The server's reply arrives as [`Event::Close`].
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
            Some(Fault::script(closed, "sent after the script closed it"))
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
        self.send_in(&mut Vec::with_capacity(payload + 14), encode)
    }

    fn send_in(
        &mut self,
        frame: &mut Vec<u8>,
        encode: impl FnOnce(&mut Vec<u8>, [u8; 4]),
    ) -> Result<(), Fault> {
        if let Some(fault) = self.unwritable() {
            return Err(fault);
        }
        frame.clear();
        encode(frame, next_mask(&mut self.random));
        self.stream.write(frame)
    }
}

/// The next mask, from `SplitMix64` (Steele, Lea, Flood 2014). Masks protect caches between client and server from
/// crafted payloads. They must vary, but need no secrecy in a test.
fn next_mask(state: &mut u64) -> [u8; 4] {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let [a, b, c, d, ..] = (mixed ^ (mixed >> 31)).to_be_bytes();
    [a, b, c, d]
}
