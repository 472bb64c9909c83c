use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};

/// The record separator, which separates packets. It cannot occur within the JSON of a packet.
pub(super) const SEPARATOR: u8 = 0x1E;
/// Minimum size in bytes of packets that are not copied, because many recipients share them.
const SHARED: usize = 16 * 1024;

/// The packets of one poll's response.
#[derive(Debug, Default)]
pub(super) struct Payload {
    pieces: VecDeque<Bytes>,
    left: u64,
}

impl Payload {
    pub(super) fn new(packets: impl IntoIterator<Item = Bytes>) -> Self {
        let mut payload = Self::default();
        let mut small = BytesMut::new();
        for (number, packet) in packets.into_iter().enumerate() {
            if number > 0 {
                small.put_u8(SEPARATOR);
            }
            if packet.len() < SHARED {
                small.put(packet);
            } else {
                payload.push(small.split().freeze());
                payload.push(packet);
            }
        }
        payload.push(small.freeze());
        payload
    }

    fn push(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            self.left += piece.len() as u64;
            self.pieces.push_back(piece);
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front();
        self.left -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
