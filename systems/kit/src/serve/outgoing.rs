use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::Response;
use hyper::body::{Body, Bytes, Frame, SizeHint};

use crate::memory::{COUNTED, Charge, charged, of_bodies};

/// The body of a response. Large ones are charged until the kernel has taken all of their bytes.
#[derive(Debug)]
pub(super) struct Outgoing<B> {
    inner: B,
    charge: Option<Charge>,
}

/// Charges a response if it is large. `None` if too many large responses wait for their clients.
pub(super) fn outgoing<B: Body>(response: Response<B>) -> Option<Response<Outgoing<B>>> {
    let size = response.body().size_hint().exact().unwrap_or(0);
    let size = usize::try_from(size).ok()?;
    let charge = match size {
        ..COUNTED => None,
        large => Some(of_bodies().take(large)?),
    };
    Some(response.map(|inner| Outgoing { inner, charge }))
}

impl<B: Body<Data = Bytes> + Unpin> Body for Outgoing<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        // The server drops the body as soon as it has the last frame, long before the frame is written.
        frame.map_ok(|frame| {
            frame.map_data(|bytes| match self.charge.take() {
                Some(charge) => charged(bytes, charge),
                None => bytes,
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
