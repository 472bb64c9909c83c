use std::pin::pin;

use axum::body::{Bytes, HttpBody};
use http_body_util::BodyExt;
use kit::serve::BODY_LIMIT;
use tokio::time::timeout;

use crate::refusal::Refusal;

/// Reads a whole body of at most `limit` bytes. Fails if reading takes longer than `BODY_LIMIT`.
pub(super) async fn read<B: HttpBody<Data = Bytes>>(body: B, limit: u32) -> Result<Bytes, Refusal> {
    let whole = timeout(BODY_LIMIT, whole(body, limit)).await;
    whole.unwrap_or(Err(Refusal::BodyIncomplete))
}

/// Collects the body. A body that arrives in one piece, as small bodies do, is not copied.
async fn whole<B: HttpBody<Data = Bytes>>(body: B, limit: u32) -> Result<Bytes, Refusal> {
    let too_large = Refusal::BodyTooLarge { limit };
    let most = limit as usize;
    if body.size_hint().lower() > u64::from(limit) {
        return Err(too_large);
    }
    let mut body = pin!(body);
    let mut whole = Bytes::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::BodyIncomplete)?;
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if whole.len() + piece.len() > most {
            return Err(too_large);
        }
        whole = if whole.is_empty() {
            piece
        } else {
            [whole, piece].concat().into()
        };
        if body.is_end_stream() {
            break;
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::Body;
    use futures_util::StreamExt;
    use futures_util::stream::{once, pending};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_sends_half_a_body_is_waited_for_for_a_while_only() {
        let half = once(async { Ok::<_, Infallible>("half") });
        let body = Body::from_stream(half.chain(pending()));
        let refused = read(body, 100).await.unwrap_err();
        assert!(matches!(refused, Refusal::BodyIncomplete), "{refused:?}");
    }
}
