use std::pin::pin;

use axum::body::{Bytes, HttpBody};
use http_body_util::BodyExt;

use crate::refusal::Refusal;

/// The whole body, at most `limit` bytes. A body that came in one piece, as small ones do, is not
/// copied.
pub(super) async fn read<B: HttpBody<Data = Bytes>>(body: B, limit: u32) -> Result<Bytes, Refusal> {
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
