//! Request bodies of limited size, read within a time limit.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use tokio::time::timeout;

use crate::memory::{COUNTED, Charge, charged, of_bodies};
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

/// Reads the whole body, at most `limit` bytes, within [`BODY_LIMIT`]. Of a larger body, up to 1 MiB more is read, so that
/// the client gets the error response instead of a closed connection.
pub async fn read(body: Body, limit: usize) -> Result<Bytes, BodyError> {
    let read = timeout(BODY_LIMIT, take(body, limit)).await;
    let (whole, length, charge) = read.map_err(|_| BodyError::Incomplete)??;
    if length > limit {
        return Err(BodyError::TooLarge(limit));
    }
    Ok(match charge {
        Some(charge) => charged(whole, charge),
        None => whole.into(),
    })
}

/// Returns the body, the number of bytes read, and what a large body is charged. If the number exceeds `limit`, the body
/// is incomplete.
async fn take(mut body: Body, limit: usize) -> Result<(Vec<u8>, usize, Option<Charge>), BodyError> {
    let (mut whole, mut length, mut charge) = (Vec::new(), 0, None);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyError::Incomplete)?;
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        length += piece.len();
        if length <= limit {
            charge_for(&mut charge, whole.len(), piece.len())?;
            whole.extend_from_slice(&piece);
        }
        if length > limit + DRAINED {
            break;
        }
    }
    Ok((whole, length, charge))
}

/// Charges a piece of a body of which `before` bytes were read.
fn charge_for(charge: &mut Option<Charge>, before: usize, piece: usize) -> Result<(), BodyError> {
    if before + piece < COUNTED {
        return Ok(());
    }
    let uncounted = if charge.is_none() { before } else { 0 };
    let more = of_bodies().take(uncounted + piece);
    let more = more.ok_or(BodyError::Crowded)?;
    match charge {
        Some(charge) => charge.add(more),
        None => *charge = Some(more),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::StreamExt;
    use futures_util::stream::{once, pending};

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
}
