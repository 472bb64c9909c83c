use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kit::body::{self, BodyError};
use serde_json::json;
use tokio::time::Instant;

use crate::answer::detail;
use crate::audio::{AudioError, Intake, millis};
use crate::engine::EngineError;
use crate::query::FormatQuery;
use crate::service::Service;
use crate::sessions::Full;

/// Reason why a recording was not transcribed. The texts of the first two are part of the protocol.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("Empty audio data")]
    Empty,
    #[error(transparent)]
    Full(#[from] Full),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Audio(#[from] AudioError),
    #[error("Recognition failed: {0}")]
    Engine(#[from] EngineError),
}

impl Failure {
    fn status(&self) -> StatusCode {
        match self {
            Self::Empty | Self::Body(BodyError::Incomplete) | Self::Audio(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::Body(BodyError::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Full(_) | Self::Body(BodyError::Crowded) | Self::Engine(EngineError::Busy(_)) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Engine(EngineError::Timeout) => StatusCode::GATEWAY_TIMEOUT,
            Self::Engine(_) => StatusCode::BAD_GATEWAY,
        }
    }
}

/// `POST /v1/transcribe`: recognises a whole recording.
pub(super) async fn transcribe(
    State(service): State<Arc<Service>>,
    Query(query): Query<FormatQuery>,
    body: Body,
) -> Response {
    let answer = answer(&service, query, body).await;
    if let Some(faults) = &service.faults {
        faults.hold(Instant::now()).await;
    }
    answer.unwrap_or_else(|failure| detail(failure.status(), &failure.to_string()))
}

async fn answer(service: &Service, query: FormatQuery, body: Body) -> Result<Response, Failure> {
    let format = query.format(&service.config.voice)?;
    let bytes = body::read(body, service.config.limits.max_body as usize).await?;
    let heard = Instant::now();
    if bytes.is_empty() {
        return Err(Failure::Empty);
    }
    if let Some(faults) = &service.faults {
        faults.message();
    }
    let _session = service.open_session(heard).await?;
    let mut samples = Vec::with_capacity(bytes.len() / 2);
    Intake::new(format).push(&bytes, &mut samples)?;
    drop(bytes);
    let duration = millis(samples.len() as u64);
    let recognised = service.engine.whole(samples, heard).await;
    let recognised = recognised.inspect_err(|_| {
        service.counters.engine_failures.inc();
    })?;
    let took = heard.elapsed();
    service.counters.request_latency.observe(took.as_secs_f64());
    let mut answer = json!({
        "text": recognised.text,
        "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "audio_duration_ms": duration,
    });
    if !recognised.words.is_empty() {
        answer["words"] = json!(recognised.words);
    }
    Ok(Json(answer).into_response())
}
