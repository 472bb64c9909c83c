use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The socket of `h2`: two buffers in memory, shared with the owner that fills and empties them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipe {
    ends: Rc<RefCell<Ends>>,
}

#[derive(Debug, Default)]
struct Ends {
    received: Vec<u8>,
    /// Bytes of `received` that `h2` has read.
    read: usize,
    to_send: Vec<u8>,
}

impl Pipe {
    /// Adds bytes from the peer.
    pub(super) fn feed(&self, bytes: &[u8]) {
        self.ends.borrow_mut().received.extend_from_slice(bytes);
    }

    /// Takes the bytes that `h2` wrote since the last call. Return the buffer with [`Pipe::reuse`].
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.ends.borrow_mut().to_send)
    }

    /// Stores the buffer to save the next allocation, unless a large body has grown it beyond 4 KiB.
    pub(super) fn reuse(&self, mut taken: Vec<u8>) {
        const KEPT: usize = 4096;
        let mut ends = self.ends.borrow_mut();
        if ends.to_send.is_empty() && taken.capacity() <= KEPT {
            taken.clear();
            ends.to_send = taken;
        }
    }
}

impl AsyncRead for Pipe {
    /// An empty buffer is reported as pending, never as the end. The owner stops polling when the connection ends.
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut ends = self.ends.borrow_mut();
        let ends = &mut *ends;
        let unread = &ends.received[ends.read..];
        if unread.is_empty() {
            return Poll::Pending;
        }
        let count = unread.len().min(buf.remaining());
        buf.put_slice(&unread[..count]);
        ends.read += count;
        if ends.read == ends.received.len() {
            // Frees the buffer, so that an idle connection holds no memory for received bytes.
            ends.received = Vec::new();
            ends.read = 0;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.ends.borrow_mut().to_send.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
