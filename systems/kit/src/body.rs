//! Request bodies of limited size, read within a time limit.

use axum::body::{Body, Bytes, HttpBody as _};
use http_body_util::BodyExt;
use tokio::time::timeout;

use crate::memory::{Budget, COUNTED, Charge, charged, of_bodies};
use crate::serve::BODY_LIMIT;

/// Maximum number of bytes beyond the size limit that are read and discarded.
const DRAINED: usize = 1 << 20;

/// Reason why a body is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The body is larger than this number of bytes.
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
    /// Too much memory is in use by other bodies.
    #[error("too many large bodies are being read or written")]
    Crowded,
    /// The connection ended before the body did, or the time limit passed.
    #[error("the body is incomplete or did not arrive in time")]
    Incomplete,
}

/// Reads the whole body, at most `limit` bytes, within [`BODY_LIMIT`]. A body that is refused is read on without keeping
/// it, up to 1 MiB beyond the limit, so that the client gets the error response instead of a closed connection.
pub async fn read(body: Body, limit: usize) -> Result<Bytes, BodyError> {
    read_within(of_bodies(), body, limit).await
}

async fn read_within(budget: &Budget, body: Body, limit: usize) -> Result<Bytes, BodyError> {
    let mut taken = Taken::new(budget, limit);
    let read = timeout(BODY_LIMIT, taken.fill(body)).await;
    if let Some(refused) = taken.refused {
        return Err(refused);
    }
    read.map_err(|_| BodyError::Incomplete)??;
    Ok(match taken.charge {
        Some(charge) => charged(taken.whole, charge),
        None => taken.whole.into(),
    })
}

/// What was read of a body.
struct Taken<'a> {
    budget: &'a Budget,
    limit: usize,
    /// Number of bytes that the client announced, or 0.
    announced: usize,
    /// Number of bytes read.
    length: usize,
    /// Empty if the body is refused.
    whole: Vec<u8>,
    charge: Option<Charge>,
    refused: Option<BodyError>,
}

impl<'a> Taken<'a> {
    const fn new(budget: &'a Budget, limit: usize) -> Self {
        Self {
            budget,
            limit,
            announced: 0,
            length: 0,
            whole: Vec::new(),
            charge: None,
            refused: None,
        }
    }

    async fn fill(&mut self, mut body: Body) -> Result<(), BodyError> {
        let announced = body.size_hint().exact().unwrap_or_default();
        self.announced = usize::try_from(announced).unwrap_or(usize::MAX);
        while self.length <= self.limit + DRAINED
            && let Some(frame) = body.frame().await
        {
            let frame = frame.map_err(|_| BodyError::Incomplete)?;
            if let Ok(piece) = frame.into_data() {
                self.add(&piece);
            }
        }
        Ok(())
    }

    fn add(&mut self, piece: &[u8]) {
        self.length += piece.len();
        if self.refused.is_none()
            && let Err(refused) = self.keep(piece)
        {
            self.refused = Some(refused);
            self.whole = Vec::new();
            self.charge = None;
        }
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), BodyError> {
        if self.length > self.limit {
            return Err(BodyError::TooLarge(self.limit));
        }
        self.charge(piece.len())?;
        if self.charge.is_some() {
            // A vector that doubles takes up to three times what is charged while it is copied. Memory that is reserved
            // but not yet written is not resident.
            let missing = self
                .announced
                .min(self.limit)
                .saturating_sub(self.whole.len());
            self.whole.reserve_exact(missing);
        }
        self.whole.extend_from_slice(piece);
        Ok(())
    }

    /// Charges a piece that comes after what is kept.
    fn charge(&mut self, piece: usize) -> Result<(), BodyError> {
        let before = self.whole.len();
        if before + piece < COUNTED {
            return Ok(());
        }
        let uncounted = if self.charge.is_none() { before } else { 0 };
        let more = self.budget.take(uncounted + piece);
        let more = more.ok_or(BodyError::Crowded)?;
        match &mut self.charge {
            Some(charge) => charge.add(more),
            None => self.charge = Some(more),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::iter::repeat_with;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use futures_util::StreamExt;
    use futures_util::stream::{self, once, pending};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_whole_refused_by_size_or_given_up() {
        assert_eq!(read(Body::from("four"), 4).await, Ok("four".into()));
        let refused = read(Body::from("five!"), 4).await;
        assert_eq!(refused, Err(BodyError::TooLarge(4)));
        let half = once(async { Ok::<_, Infallible>("half") });
        let body = Body::from_stream(half.chain(pending()));
        assert_eq!(read(body, 100).await, Err(BodyError::Incomplete));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_body_is_read_on_so_that_its_client_gets_the_response() {
        let chunks = Arc::new(AtomicUsize::new(0));
        let counted = chunks.clone();
        let chunk = Bytes::from(vec![b'x'; COUNTED]);
        let body = repeat_with(move || {
            counted.fetch_add(1, Relaxed);
            Ok::<_, Infallible>(chunk.clone())
        });
        let limit = 4 * COUNTED;
        let body = Body::from_stream(stream::iter(body));
        let read = read_within(&Budget::new(0), body, limit).await;
        assert_eq!(read, Err(BodyError::Crowded));
        assert_eq!(chunks.load(Relaxed), (limit + DRAINED) / COUNTED + 1);
    }
}
